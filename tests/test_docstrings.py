"""The docstrings of the public API: every parameter is described, nothing is described that there is not."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest

from engrain import MemoryManager, arguments
from engrain.arguments import ALIASES
from engrain.views import Graph, Keys, Lifecycle, Procedures, Working
from tests.house_rules import members

CLASSES = (MemoryManager, Graph, Working, Procedures, Lifecycle, Keys)
SECTIONS = ("Args", "Returns", "Raises")
COMMON = 1_000  # characters of a description at most: it is one or two sentences


def methods() -> dict[str, Callable[..., Any]]:
    """Return every public method, aliases left out, and what is called to make a manager."""
    found: dict[str, Callable[..., Any]] = {"MemoryManager": MemoryManager}
    for kind in CLASSES:
        for name, value in members(kind).items():
            function = value.__func__ if isinstance(value, classmethod) else value
            if (
                inspect.isfunction(function)
                and (not name.startswith("_") or name == "__call__")
                and name not in ALIASES
            ):
                found[f"{kind.__name__}.{name}"] = function
    return found


METHODS = methods()


def sections(docstring: str) -> dict[str, str]:
    """Return the Google-style sections of a docstring by name; "" is what stands before them."""
    parts = re.split(rf"^({'|'.join(SECTIONS)}):\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def described(section: str) -> dict[str, str]:
    """Return the entries of a section: what each name is said to be, in one line."""
    entries = re.split(r"^ {4}(\*{0,2}\w+): ", section.partition("\n\n")[0], flags=re.MULTILINE)
    assert not entries[0].strip(), f"not an entry: {entries[0]!r}"
    return {name: " ".join(text.split()) for name, text in zip(entries[1::2], entries[2::2], strict=True)}


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters as a docstring names them."""
    stars: dict[Any, str] = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    own = inspect.signature(function).parameters.values()
    return {stars.get(p.kind, "") + p.name: p for p in own if p.name not in ("self", "cls")}


def args_of(name: str) -> dict[str, str]:
    return described(sections(METHODS[name].__doc__ or "").get("Args", ""))


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_is_described_and_no_other(name: str) -> None:
    assert list(args_of(name)) == list(parameters(METHODS[name]))


@pytest.mark.parametrize("name", METHODS)
def test_a_description_reads_well_alone(name: str) -> None:
    for parameter, text in args_of(name).items():
        assert re.fullmatch(r"(?s)[A-Z`{*].*[.]", text), f"{parameter}: {text}"
        assert len(text) < COMMON
        assert "|" not in text


@pytest.mark.parametrize("name", METHODS)
def test_it_begins_with_one_sentence_and_says_what_comes_back(name: str) -> None:
    function, parts = METHODS[name], sections(METHODS[name].__doc__ or "")
    first = parts[""].partition("\n\n")[0]
    assert re.fullmatch(r"(?s)[A-Z].*[.]", first.strip())
    assert not re.search(r"[.] [A-Z]", first), "more than one sentence stands before the first blank line"
    if inspect.isfunction(function):
        assert ("Returns" in parts) == (get_type_hints(function).get("return") is not type(None))


@pytest.mark.parametrize("name", METHODS)
def test_what_is_raised_are_errors(name: str) -> None:
    raised = described(sections(METHODS[name].__doc__ or "").get("Raises", ""))
    for error in raised:
        found = getattr(__import__("engrain"), error, None) or getattr(__import__("builtins"), error)
        assert issubclass(found, Exception)
    if parameters(METHODS[name]) and name != "MemoryManager.work":
        assert raised, "it takes arguments, and says of none what it raises"


# --------------------------------------------------------------------------------------------- shared keyword arguments

TYPED_DICTS: Mapping[str, Any] = {
    name: value for name, value in vars(arguments).items() if is_typeddict(value) and not name.startswith("_")
}
WHERE = {  # the method that has the same arguments, and those of its own
    "RecallFilters": ("MemoryManager.recall", {"query", "k"}),
    "ListFilters": ("MemoryManager.list_memories", {"order", "limit", "cursor"}),
    "EntityFilters": ("MemoryManager.recall_entity", {"entity_type", "value", "k"}),
    "WriteFields": ("MemoryManager.remember", {"content", "evolve", "sync"}),
}


def entries_of(name: str) -> dict[str, str]:
    return described(sections(TYPED_DICTS[name].__doc__).get("Args", ""))


@pytest.mark.parametrize("name", WHERE)
def test_shared_arguments_are_those_of_the_method_and_described_there_alone(name: str) -> None:
    method, own = WHERE[name]
    hints, held = get_type_hints(METHODS[method]), get_type_hints(TYPED_DICTS[name])
    assert {each: hints[each] for each in args_of(method) if each not in own} == held
    assert method.rpartition(".")[2] in (TYPED_DICTS[name].__doc__ or "")
    assert not entries_of(name)


@pytest.mark.parametrize("name", sorted(TYPED_DICTS))
def test_each_shared_argument_is_described_somewhere(name: str) -> None:
    described_by_methods = {each for method, _ in WHERE.values() for each in args_of(method)}
    around = {*described_by_methods, *entries_of("ReportOptions")}
    assert set(TYPED_DICTS[name].__annotations__) <= {*entries_of(name)} | around
    assert set(entries_of(name)) <= set(TYPED_DICTS[name].__annotations__)


def keyword_dicts() -> Iterator[tuple[str, Any]]:
    for name, function in METHODS.items():
        for parameter in parameters(function).values():
            hint = get_type_hints(function).get(parameter.name) if inspect.isfunction(function) else None
            if parameter.kind is parameter.VAR_KEYWORD and hint is not Any:
                yield name, get_args(hint)[0]


KEYWORD_DICTS = dict(keyword_dicts())


@pytest.mark.parametrize("name", KEYWORD_DICTS)
def test_no_argument_is_in_the_signature_and_among_the_keyword_arguments(name: str) -> None:
    assert not set(KEYWORD_DICTS[name].__annotations__) & set(parameters(METHODS[name]))


def test_the_methods_with_keyword_arguments_are_known() -> None:
    assert {"MemoryManager.context", "MemoryManager.count", "MemoryManager.supersede"} <= set(KEYWORD_DICTS)
    assert all(is_typeddict(each) for each in KEYWORD_DICTS.values())


# ------------------------------------------------------------------------------------------------------ the test itself


def test_a_missing_and_a_strange_entry_would_be_found() -> None:
    docstring = """Do it.

    More.

    Args:
        one: The first,
            over two lines.
        **rest: All others.

    Returns:
        It.
    """
    parts = sections(docstring)
    assert list(parts) == ["", "Args", "Returns"]
    assert described(parts["Args"]) == {"one": "The first, over two lines.", "**rest": "All others."}
