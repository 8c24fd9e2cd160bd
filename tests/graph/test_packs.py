from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

import engrain
from engrain.cti.pack import CTI
from engrain.errors import ConfigError
from engrain.graph.extraction import extracted
from engrain.graph.packs import GENERAL, Packs
from engrain.model.entities import Mention


class Failing:
    name = "failing"
    entity_types = ("plant",)
    aliases: Mapping[str, Mapping[str, list[str]]] = MappingProxyType({})
    relation_patterns = ()

    def extract(self, text: str) -> list[Mention]:
        raise RuntimeError("broken")


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """A folder of installed packages, on the path for a while."""
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))


def install(folder: Path, name: str, value: str) -> None:
    package = folder / f"{name}_pack-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-pack\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[engrain.domains]\n{name} = {value}\n")


def test_the_built_in_packs_are_there_without_being_asked_for() -> None:
    assert Packs.of(None).names[:2] == ("general", "cti")


def test_packs_are_chosen_by_name() -> None:
    assert Packs.of(["cti"]).names == ("cti",)
    assert Packs.of([]).names == ()


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no domain pack 'nope'.*'cti', 'general'"):
        Packs.of(["nope"])


def test_an_object_that_is_no_pack_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(TypeError, match="lacks name, entity_types, aliases, relation_patterns, extract"):
        Packs.of([object()])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="write \\['cti'\\]"):
        Packs.of("cti")


def test_a_pack_that_fails_finds_nothing_and_harms_no_other(caplog: pytest.LogCaptureFixture) -> None:
    packs = Packs.of([Failing(), "cti"])
    found = extracted("APT28 is here", domain="general", packs=packs)
    assert [each.name for each in found.mentions] == ["APT28"]
    assert "'failing' failed (RuntimeError: broken)" in caplog.text


def test_its_entry_point_is_found_among_others(installed: Path) -> None:
    (installed / "lake_pack.py").write_text(
        "from engrain.graph import Domain\nclass Packs:\n    LAKE = Domain(name='lake', patterns={'fish': 'pike'})\n"
    )
    install(installed, "lake", "lake_pack:Packs.LAKE [extra]\n# pond = lake_pack:NONE")
    others = (installed / "lake_pack-1.0.dist-info" / "entry_points.txt").read_text()
    others = f"[console_scripts]\npond = lake_pack:main\n\n{others}\n\n[engrain.domains.more]\nsea = lake_pack:SEA\n"
    (installed / "lake_pack-1.0.dist-info" / "entry_points.txt").write_text(others)
    names = Packs.of(None).names
    assert "lake" in names
    assert {"pond", "sea"}.isdisjoint(names)


def test_an_installed_pack_is_found_by_its_entry_point(installed: Path) -> None:
    (installed / "garden_pack.py").write_text(
        "from engrain.graph import Domain\nPACK = Domain(name='garden', patterns={'plant': 'Rosa [a-z]+'})\n"
    )
    install(installed, "garden", "garden_pack:PACK")
    assert "garden" in Packs.of(None).names
    assert Packs.of(["garden"]).names == ("garden",)


def test_one_that_cannot_be_loaded_is_left_out_with_a_warning(
    installed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    install(installed, "gone", "no_such_module_at_all:PACK")
    with caplog.at_level(logging.WARNING):
        assert "gone" not in Packs.of(None).names
    assert "'gone'" in caplog.text
    with pytest.raises(ConfigError, match="'gone' cannot be loaded"):
        Packs.of(["gone"])


def test_nobody_takes_the_name_of_a_pack_of_the_library(installed: Path) -> None:
    for name in ("cti", "general"):
        install(installed, name, f"{name}_of_others:PACK")
    general, cti = Packs.of(None).packs[:2]
    assert general is GENERAL
    assert cti is CTI


def test_managers_share_the_tables_of_installed_packs() -> None:
    assert Packs.of(None) is Packs.of(None)
    assert Packs.of(["cti"]).packs[0] is Packs.of(None).packs[1]


def test_without_the_pack_for_threats_stix_names_its_extra(tmp_path: Path) -> None:
    path = sys.path[:]
    with engrain.MemoryManager(":memory:", embedder=None, domains=["general"]) as memory:
        try:
            sys.path[:] = [each for each in path if not each.endswith("site-packages")]
            for call in (memory.graph.import_stix, memory.graph.export_stix):
                with pytest.raises(ConfigError, match=r"_stix needs the domain pack 'cti'.*engrain\[cti\]"):
                    call(tmp_path / "bundle.json")
            assert memory.recall_actor("APT28") == []
        finally:
            sys.path[:] = path


def test_stix_needs_no_pack_among_those_that_read_texts(tmp_path: Path) -> None:
    with engrain.MemoryManager(":memory:", embedder=None, domains=["general"]) as memory:
        assert Path(memory.graph.export_stix(tmp_path / "bundle.json")).exists()
