"""A bundle is read whole from a file; a file that is none, or has invalid objects, is reported."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from engrain.cti.stix_import import bundle_of, read_bundle
from tests.stix.bundles import bundle, thing, written

NET = thing("tool", "Netmap")


def test_a_bundle_is_read_from_a_plain_and_from_a_packed_file(tmp_path: Path) -> None:
    plain = written(tmp_path / "a.json", NET)
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_bundle(plain) == read_bundle(packed)
    assert read_bundle(plain).objects == (NET,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"type": "bundle",\n nope}', "line 2: not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "nested too deep"),
        ('{"objects": []}', "no STIX bundle"),
        ('{"type": "malware", "name": "x"}', "no STIX bundle"),
        ("[]", "no STIX bundle"),
        ('{"type": "bundle", "spec_version": "1.2", "objects": []}', "STIX 1.2"),
        ('{"type": "bundle", "objects": {"a": 1}}', "are a list, not dict"),
        ('{"type": "bundle", "objects": [' + "9" * 5000 + "]}", "not JSON"),
    ],
)
def test_an_invalid_bundle_is_a_clear_error(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says) as caught:
        read_bundle(path)
    assert str(path) in str(caught.value)


def test_bytes_that_are_no_text_are_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"type": "bundle", "id": "\xff\xfe"}')
    with pytest.raises(ValueError, match="not JSON"):
        read_bundle(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        read_bundle(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("a string", "not str"),
        (None, "not NoneType"),
        ({"id": NET["id"]}, "no type"),
        ({"type": "tool"}, "no id"),
        ({"type": "tool", "id": 5}, "no id"),
        ({"type": "malware", "id": NET["id"]}, "must be malware--<UUID>"),
        ({**NET, "spec_version": "3.0"}, "STIX 3.0"),
    ],
)
def test_an_invalid_object_is_rejected_and_the_others_are_read(value: object, says: str) -> None:
    read = bundle_of(bundle(value, thing("tool", "Other")))
    assert [found["name"] for found in read.objects] == ["Other"]
    ((name, reason),) = read.rejected.items()
    assert says in reason
    assert name


def test_of_several_versions_of_an_object_the_last_modified_counts() -> None:
    older = {**NET, "modified": "2019-01-01T00:00:00Z", "name": "Old"}
    newer = {**NET, "modified": "2025-01-01T00:00:00Z", "name": "New"}
    for order in ([older, NET, newer], [newer, older, NET]):
        read = bundle_of(bundle(*order))
        assert [found["name"] for found in read.objects] == ["New"]


@pytest.mark.parametrize("modified", ["2025-01-01T00:00:00Z", "2024-12-31T23:59:59.999Z", "soon", None, 7])
def test_versions_are_compared_as_times(modified: object) -> None:
    newer = {**NET, "modified": "2025-01-01T00:00:00.500Z", "name": "New"}
    for order in ([{**NET, "modified": modified}, newer], [newer, {**NET, "modified": modified}]):
        assert [found["name"] for found in bundle_of(bundle(*order)).objects] == ["New"]


def test_objects_of_the_older_version_are_read_alike() -> None:
    old = {name: held for name, held in NET.items() if name != "spec_version"}
    read = bundle_of({**bundle(old), "spec_version": "2.0"})
    assert json.loads(json.dumps(read.objects)) == [old]
