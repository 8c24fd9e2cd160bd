"""The windows work alone: what they export is there, and they lean on no store and no engine."""

from __future__ import annotations

import ast

import pytest

from engrain import conversation
from engrain.model.memory import Turn
from tests.house_rules import PACKAGE_FOLDER, ROOT

ALONE = "manager memories window".split()
LEANED_ON = {"conversation", "errors", "guard", "language", "model", "policies", "protocols", "text", "validation"}


def imported(name: str) -> set[str]:
    """Return the packages that a module imports from."""
    tree = ast.parse((ROOT / PACKAGE_FOLDER / "conversation" / f"{name}.py").read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {module.split(".")[1] for module in modules if module.startswith("engrain.")}


def test_exports_are_sorted_and_there():
    assert list(conversation.__all__) == sorted(set(conversation.__all__))
    assert all(getattr(conversation, name).__doc__ for name in conversation.__all__)
    assert conversation.ConversationTurn is Turn


@pytest.mark.parametrize("name", ALONE)
def test_a_window_leans_on_no_store(name: str):
    assert imported(name) <= LEANED_ON
