"""The key that a client is given: looked at before anything is sent, and never quoted."""

from __future__ import annotations

from typing import Any

import pytest

from engrain.client import Client

SECRET = "rk_0123456789abcdef"
NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize("key", ["", "  ", "\n"])
def test_a_blank_key_is_no_key(key: str) -> None:
    with pytest.raises(ValueError, match="key is blank"):
        Client(NOWHERE, key=key)


@pytest.mark.parametrize("key", [f"{SECRET}\n", f" {SECRET}", f"{SECRET}\r\nX: y", f"{SECRET}\0", f"{SECRET}é"])
def test_a_key_that_no_header_can_hold_is_reported_without_it(key: str) -> None:
    with pytest.raises(ValueError, match="key holds what no key does") as caught:
        Client(NOWHERE, key=key)
    assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


def test_another_type_is_reported_without_it_too() -> None:
    key: Any = SECRET.encode()
    with pytest.raises(TypeError, match="key must be a string, not bytes"):
        Client(NOWHERE, key=key)


def test_a_client_does_not_show_its_key() -> None:
    with Client(NOWHERE, key=SECRET, retries=0) as client:
        assert SECRET not in repr(client)
        with pytest.raises(Exception, match="cannot be reached") as caught:
            client.count()
        assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r}"
