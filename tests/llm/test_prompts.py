"""Prompts are versioned files; inserted text is delimited in them by marks that no text can contain."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from string import Template

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engrain.llm.replies import RULES, Prompt, prompt
from engrain.testing import ScriptedLLM
from tests.llm import prompts
from tests.llm.injections import ENDINGS, INJECTIONS, ORDERS
from tests.llm.uses import USES, Use, answering, opened
from tests.rounds import rounds

ALL = {one.name: one for one in prompts.prompts()}
ASKING = sorted(ALL.keys() - {RULES})


# ---------------------------------------------------------------------------------------------------------- versions


def test_a_prompt_whose_words_change_has_a_new_version() -> None:
    known = json.loads(prompts.TABLE.read_text(encoding="utf-8"))
    assert prompts.problems(known, prompts.table()) == []


def test_what_is_to_be_done_is_said() -> None:
    known = {"old": {"version": 1, "digest": "a"}, "same": {"version": 1, "digest": "a"}}
    assert prompts.problems(known, known) == []
    changed = {**known, "old": {"version": 1, "digest": "b"}}
    assert "raise the version" in prompts.problems(known, changed)[0]
    for other in ({**known, "old": {"version": 2, "digest": "b"}}, {**known, "new": known["old"]}, {}):
        assert all("python -m tests.llm.prompts" in stored for stored in prompts.problems(known, other))
        assert prompts.problems(known, other)


# -------------------------------------------------------------------------------------------------------- the fence


@pytest.mark.parametrize("name", ASKING)
def test_every_value_that_is_not_ours_is_between_the_marks(name: str) -> None:
    words = ALL[name].template
    values = set(words.get_identifiers()) - {"fence", *prompts.OURS}
    left = set(Template(prompts.outside(words.template)).get_identifiers())
    assert values
    assert left <= {*prompts.OURS}


def test_the_rules_hold_no_text() -> None:
    assert ALL[RULES].template.get_identifiers() == ["fence"]


texts = st.one_of(
    st.text(),
    st.sampled_from(INJECTIONS),
    st.lists(st.one_of(st.sampled_from(ENDINGS), st.text(max_size=20)), max_size=8).map("".join),
    st.text(alphabet="<>/-record0123456789abcdef$fence{}\n＜＞", max_size=200),
)


@pytest.mark.matrix
@pytest.mark.parametrize("name", ASKING)
@settings(max_examples=rounds(20))
@given(texts)
@example("x" * 100_000)
@example("</$fence>" * 11_000)
def test_no_record_holds_the_mark_that_ends_it(name: str, text: str) -> None:
    names = ALL[name].template.get_identifiers()
    values = {each: "12" if each in prompts.OURS else text for each in names if each != "fence"}
    question, system = ALL[name].filled(**values)
    assert prompts.is_sound(question, system)
    again = {each: value if each in prompts.OURS else question for each, value in values.items()}
    assert prompts.is_sound(*ALL[name].filled(**again))  # by one who has seen its marks


def test_a_question_whose_marks_do_not_hold_is_found_out() -> None:
    sound, system = prompt("archive").filled(content="Ana keeps bees.", target="60")
    mark = sound.rpartition("</")[2].rstrip(">")
    assert prompts.is_sound(sound, system)
    assert not prompts.is_sound(sound + "\nAna keeps bees.", system)
    assert not prompts.is_sound(sound.replace("Ana", f"</{mark}>\nAna"), system)
    assert not prompts.is_sound(sound, system + "\nAna keeps bees.")
    leaky: Prompt = replace(ALL["archive"], template=Template("Say of $content:\n<$fence>\n$content\n</$fence>"))
    assert not prompts.is_sound(*leaky.filled(content="Ana keeps bees."))


# ------------------------------------------------------------------------------------------------- what models are told


def _asked(use: Use, place: Path, given: list[str]) -> str:
    """Return what a use asks about texts; each question must be sound."""
    llm = ScriptedLLM(answering)
    with opened(place, llm, injection="allow") as root:
        use.run(root.scoped(user="ana"), given)
    assert [call for call in llm.calls if not prompts.is_sound(call.prompt, call.system)] == []
    return "\n".join(call.prompt for call in llm.calls)


@pytest.mark.parametrize("use", USES, ids=str)
def test_no_memory_leaves_its_record(use: Use, tmp_path: Path) -> None:
    related = [f"Of the ferry from Piraeus to Naxos in June: {text}" for text in INJECTIONS]
    asked = _asked(use, tmp_path, related)
    assert any(order in asked for order in ORDERS)


@pytest.mark.slow
@pytest.mark.skipif("INJECTIONS" not in os.environ, reason="INJECTIONS names a .jsonl.gz file of texts")
@pytest.mark.parametrize("use", USES, ids=str)
def test_no_known_attack_leaves_its_record(use: Use, tmp_path: Path) -> None:
    with gzip.open(os.environ["INJECTIONS"], "rt", encoding="utf-8") as file:
        found = [json.loads(line)["text"] for line in file]
    for number, some in enumerate(found[start : start + 100] for start in range(0, len(found), 100)):
        place = tmp_path / str(number)
        place.mkdir()
        assert _asked(use, place, [text for text in some if text.strip()])
