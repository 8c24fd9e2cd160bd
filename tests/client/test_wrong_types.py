"""A value of a wrong type raises through the client what it raises beside the store, mostly before it is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.client import Client
from engrain.operations.schema import Operation, Shape
from engrain.operations.table import OPERATIONS
from tests.rest.samples import EXAMPLES, UNLIMITED, sample_store
from tests.servers import serving

WRONG: Mapping[Shape, tuple[Any, ...]] = {
    Shape.TEXT: (7, True),
    Shape.INTEGER: ("three", 2.5, True),
    Shape.NUMBER: ("x", True),
    Shape.FLAG: ("yes", 1),
    Shape.TIME: ([], True),
    Shape.DURATION: ("x", [1]),
    Shape.OBJECT: (7, ["x"]),
    Shape.JSON: ({1, 2}, object()),
    Shape.FACT: ("a", ["a", "b"]),
    Shape.ENTITY: ("a", ["a"]),
}
FILES = ("ingest", "export", "import", "import-stix", "export-stix", "graph export")
TOLD = {
    "replacing": "there is no key",
    "source_url": "taken as it is",
    "dry_run": "taken as it is",
    "timeout": "a number",
}
"""What the manager looks at only later, or never; the client refuses it."""
EITHER = ("batch_size", "content", "cursor", "key", "relation")
"""For what one method of the manager raises a `TypeError` and another a `ValueError`."""
CALLED = [each for each in OPERATIONS if each.routes and each.name not in FILES and each.parameters]


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, MemoryManager]]:
    store = tmp_path_factory.mktemp("types") / "memory.db"
    with sample_store(store) as memory, serving(memory, limits=UNLIMITED) as url, Client(url) as client:
        yield client, memory


def raised(side: object, operation: Operation, given: Mapping[str, Any]) -> type[Exception] | None:
    try:
        operation.bind(side)(**given)  # type: ignore[operator]
    except Exception as error:
        return type(error)
    return None


@pytest.mark.matrix
@pytest.mark.parametrize("operation", CALLED, ids=lambda each: each.name)
def test_a_wrong_type_raises_what_it_raises_at_the_store(
    sides: tuple[Client, MemoryManager], operation: Operation
) -> None:
    client, memory = sides
    for parameter in operation.parameters:
        for wrong in WRONG[parameter.shape]:
            if parameter.name in TOLD or parameter.name == operation.spread:
                continue
            given = {**EXAMPLES[operation.name], parameter.name: wrong}
            found = raised(client, operation, given)
            beside = raised(memory, operation, given)
            assert found is not None, f"{parameter.name}={wrong!r}"
            assert beside is not None, f"{parameter.name}={wrong!r}"
            if parameter.name in EITHER:
                assert issubclass(found, TypeError | ValueError)
                assert issubclass(beside, TypeError | ValueError)
            else:
                assert found is beside, f"{parameter.name}={wrong!r}"


def test_nothing_is_asked_of_a_server_for_it() -> None:
    with Client("http://127.0.0.1:9", retries=0) as client:
        with pytest.raises(TypeError, match="k must be a whole number, not str"):
            client.recall("x", k="three")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="tags must be a list, each in it a string, not int"):
            client.remember("x", tags=["a", 7])  # type: ignore[list-item]


def test_the_place_of_a_value_that_cannot_be_sent_is_named() -> None:
    metadata = {"a": {"b": [1, object()]}}
    with Client("http://127.0.0.1:9", retries=0) as client, MemoryManager(":memory:") as memory:
        for side in (client, memory):
            with pytest.raises(TypeError, match=r"metadata\['a'\]\['b'\]\[1\] .*object"):
                side.remember("x", metadata=metadata)


@pytest.mark.parametrize("name", sorted(TOLD))
def test_what_is_left_out_of_these_tests_is_a_parameter(name: str) -> None:
    assert any(operation.parameter(name) for operation in CALLED)


def test_messages_of_every_shape_travel(sides: tuple[Client, MemoryManager], tmp_path: Path) -> None:
    class Message:
        role, content = "user", [{"type": "text", "text": "I keep bees"}]

    said: list[Any] = ["I live in Rome", {"role": "user", "content": "I like tea"}, [Message()], iter([Message()])]
    for number, messages in enumerate(said):
        (made,) = sides[0].remember_messages(messages, session=f"talk-{number}", extract="turns")
        assert made.status == "created"
