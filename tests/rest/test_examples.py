"""Every operation has an example that works, which is what the OpenAPI document shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.operations.schema import Operation
from engrain.operations.table import OPERATIONS
from tests.rest.samples import EXAMPLES, FILES, client_of, sample_store, send

NOTHING = ("graph resolve", "records sweep")  # nothing is compared without an embedder, and nothing has expired
OFFERED = [operation for operation in OPERATIONS if operation.routes]


def test_every_operation_is_offered_or_the_reason_is_given() -> None:
    assert all(bool(operation.routes) != bool(operation.local_only) for operation in OPERATIONS)
    assert set(EXAMPLES) == {operation.name for operation in OFFERED}


def test_no_two_operations_have_a_route() -> None:
    routes = [route for operation in OFFERED for route in operation.routes]
    assert len(routes) == len(set(routes))


@pytest.mark.matrix
@pytest.mark.parametrize("operation", OFFERED, ids=lambda each: each.name)
def test_the_example_works_with_a_key_of_the_role_that_is_asked_for(operation: Operation, tmp_path: Path) -> None:
    with sample_store(tmp_path / "memory.db") as memory:
        client = client_of(memory, secret=memory.keys.create(operation.role).secret)
        found = send(client, operation, EXAMPLES[operation.name], **FILES.get(operation.name, {}))
    assert found.status_code in (200, 201), found.text
    if operation.effect == "read" and operation.file is not None:
        assert found.content
        return
    stored = found.json()
    assert operation.name in NOTHING or stored not in ({operation.answer: False}, {operation.answer: []})
