"""What a write costs does not grow with what is there of one kind: links, sources that state the same, aliases."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import FrameType

import pytest

import engrain
from engrain import MemoryManager, Settings

PACKAGE = str(Path(engrain.__file__).parent)
FEW, MANY = 40, 160


def calls(step: Callable[[], object]) -> int:
    """Count the calls of the package's own functions and generators."""
    found = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal found
        found += event == "call" and frame.f_code.co_filename.startswith(PACKAGE)

    step()  # warm
    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return found


def rows_read(step: Callable[[], object]) -> int:
    """Count the rows that statements of the store return."""
    found = 0

    def note(frame: FrameType, event: str, returned: object) -> None:
        nonlocal found
        if event == "return" and frame.f_code.co_name == "_ask" and isinstance(returned, list):
            found += len(returned)

    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return found


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[MemoryManager]:
    settings = Settings(worker="none")
    with MemoryManager(tmp_path / "memory.db", user="ana", embedder=None, llm="none", settings=settings) as memory:
        yield memory


def linking(memory: MemoryManager) -> Callable[[], object]:
    hub, numbers = memory.remember("The hub of the depot.").id, count()
    spokes = [memory.remember(f"Spoke {n} of item{n}.").id for n in range(MANY + 4)]
    return lambda: memory.link(hub, spokes[next(numbers)], "related")


def linked_from(memory: MemoryManager) -> Callable[[], object]:
    hub, numbers = memory.remember("The hub of the depot.").id, count()
    spokes = [memory.remember(f"Spoke {n} of item{n}.").id for n in range(MANY + 4)]
    return lambda: memory.link(spokes[next(numbers)], hub, "contradicts")


def sources(memory: MemoryManager) -> Callable[[], object]:
    numbers = count()
    return lambda: memory.remember(
        "The depot floods.", source_type="external_data", source_id=f"page {next(numbers):03}"
    )


def sources_of_one_actor(memory: MemoryManager) -> Callable[[], object]:
    numbers = count()
    return lambda: memory.remember(
        "The depot floods.", source_type="external_data", source_id=f"page {next(numbers):03}", actor="eve"
    )


@pytest.mark.matrix
@pytest.mark.parametrize("of", [linking, linked_from, sources, sources_of_one_actor])
def test_it_costs_the_same_with_four_times_as_many(
    quiet: MemoryManager, of: Callable[[MemoryManager], Callable[[], object]]
) -> None:
    step = of(quiet)
    for _ in range(FEW - 2):
        step()
    few = calls(step)
    for _ in range(MANY - FEW - 2):
        step()
    assert calls(step) <= few * 1.05


@pytest.mark.matrix
@pytest.mark.parametrize("agent", [None, "scout"])
def test_a_chain_of_aliases_reads_rows_in_proportion_to_its_length(memory: MemoryManager, agent: str | None) -> None:
    view = memory.scoped(user="ana", agent=agent)

    def chain(start: int, length: int) -> None:
        for number in range(start, start + length):
            added = view.graph.add_alias("tool", "Kestrel Van", f"van {number}")
            assert added.aliases == (f"van {number}",)

    chain(0, 5)
    few = rows_read(lambda: chain(5, FEW))
    many = rows_read(lambda: chain(5 + FEW, MANY))
    assert 0 < many <= few * 1.05 * MANY / FEW
    known = view.graph.entity("tool", "van 7")
    assert known is not None
    assert len(known.aliases) == 5 + FEW + MANY


def test_trust_by_witnesses_is_what_it_was(quiet: MemoryManager) -> None:
    step = sources_of_one_actor(quiet)
    for _ in range(5):
        step()
    alone = quiet.list_memories()[0].trust
    quiet.remember("The depot floods.", source_type="external_data", source_id="another page", actor="bo")
    raised = quiet.list_memories()[0].trust
    assert (alone, raised > alone) == (0.3, True)
    for _ in range(5):
        step()
    assert quiet.list_memories()[0].trust == raised
    assert quiet.count() == 1
