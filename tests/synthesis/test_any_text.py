"""For any text, quotes are parts of their memories, and sentences parts of their quotes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.model.results import Format
from engrain.synthesis.evidence import AnswerParts, Evidence
from engrain.synthesis.offline import answer_by_rules
from tests.rounds import rounds
from tests.synthesis.evidence_by_hand import evidence, hit

PIECES = st.sampled_from(
    [
        "I went to Rome yesterday. ",
        "Who? ",
        "我昨天去了罗马。",
        "いつ行きましたか?",
        "[image: a dog] ",
        "“Tea”, she said; ",
        "Don't! ",
        "\n\n",
        "three cats, 5 kg, $3 ",
        "e\u0301\u200d👩‍👩‍👧 ",
        "İstanbul 31.12.9999 ",
        "1 January 1 ",
        "last week ",
        "because of Maya ",
    ]
)
TEXTS = st.one_of(st.text(min_size=1, max_size=200), st.lists(PIECES, min_size=1, max_size=60).map("".join))
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
QUERIES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "When?",
            "Who is Maya?",
            "Which cities?",
            "How many cats",
            "Did she go?",
            "什么时候",
            "Warum?",
            "What has Ana read?",
        ]
    ),
)


def holds(quoted: Evidence, answer: AnswerParts) -> None:
    """Check that an answer cites what there is, and that its sentences stand there."""
    everything = (*answer.lead, *answer.points, *(event.sentence for event in answer.events))
    for said in everything:
        assert said.quotes
        assert set(said.quotes) <= set(range(len(quoted.quotes)))
    for said in (*answer.points, *(event.sentence for event in answer.events)):
        assert said.text in quoted.quotes[said.quotes[0]].text


@settings(max_examples=rounds(60), deadline=None)
@given(query=QUERIES, texts=st.lists(st.tuples(TEXTS, TIMES), max_size=5))
def test_every_quote_is_verbatim_and_every_sentence_cites(query, texts):
    quoted = evidence(query, *(hit(text, at=at, number=n) for n, (text, at) in enumerate(texts)))
    for quote in quoted.quotes:
        assert quote.text in quote.memory.content
    for form in Format:
        answer = answer_by_rules(form, quoted)
        assert not answer.lead or quoted.quotes
        if form is not Format.DIRECT_ANSWER:  # which says nothing where the quotes are about something else
            assert bool(answer.lead) == bool(quoted.quotes)
        holds(quoted, answer)


@pytest.mark.parametrize("unit", ["word ", "I saw Rome. ", "罗马", "a, ", "\n", "Who is it? ", "Maya ", "1 "])
def test_a_very_long_memory_is_answered_from(unit):
    quoted = evidence("When did Maya see Rome?", unit * (100_000 // len(unit)))
    for form in Format:
        holds(quoted, answer_by_rules(form, quoted))
