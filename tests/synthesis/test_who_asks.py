"""Who "I" is in a question: the user of the view, and not who wrote a memory that the view reads as well."""

from __future__ import annotations

import pytest

from engrain import MemoryManager


@pytest.mark.parametrize(
    ("user", "shared", "expected"),
    [("ana", False, "Rome"), ("ana", True, "Rome"), ("bo", True, "Kiel"), ("eva", True, ""), (None, False, "Oslo")],
)
def test_the_first_person_of_another_scope_is_not_the_asker(
    memory: MemoryManager, user: str | None, shared: bool, expected: str
) -> None:
    memory.scoped(user="ana").remember("I live in Rome.")
    memory.remember("I live in Oslo.")
    memory.scoped(user="bo").remember("I live in Kiel.")
    view = memory if user is None else memory.scoped(user=user)
    found = view.synthesize("Where do I live?", shared=shared)
    assert ("" if found.abstained else found.synthesis["answer"]) == expected
