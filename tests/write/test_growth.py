"""What a write costs does not grow with what is there of one kind: links of a memory, sources that state the same."""

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
