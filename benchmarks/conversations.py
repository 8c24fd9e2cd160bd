"""Made-up conversations with known truth: what is answered, rightly, wrongly or not at all, and which changes close.

Sentences come from `conversations.toml` and a seed, in four languages. People, homes, jobs, pets, allergies, habits and
projects are stated plainly, changed, corrected, denied, hedged, reported of relatives or left out, between small talk.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Literal

from benchmarks.report import Progress, Report
from benchmarks.stores import NO_WORKER, temporary_stores
from engrain import MemoryManager
from engrain.protocols import Embedder
from engrain.testing import FrozenClock

SEED = 11
CONVERSATIONS = 12
PHRASES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LANGUAGES = ("en", "de", "es", "fr")
SURE = 0.9
Split = Literal["development", "held-out"]
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_DATES = {"en": "{d} {m} {y}", "de": "{d}. {m} {y}", "es": "{d} de {m} de {y}", "fr": "{d} {m} {y}"}
_YES, _NO = ("yes", "ja", "sí", "si", "oui"), ("no", "nein", "non", "nicht")
_VALUES = {"home": "city", "work": "company", "dog": "dog", "allergy": "food", "habit": "drink"}
_OF_PEOPLE = ("home", "work", "dog", "allergy", "born", "habit")
_OF_PROJECTS = ("deadline", "status", "owner")
_STORIES = {
    "home": ("plain", "changed", "changed", "former", "hedged", "denied", "relative", "both", "none", "with former"),
    "work": ("plain", "changed", "changed", "former", "hedged", "denied", "relative", "both", "none", "with former"),
    "dog": ("plain", "plain", "other", "relative", "both", "none"),
    "allergy": ("plain", "plain", "denied", "ended", "relative", "none"),
    "born": ("plain", "plain", "relative", "none"),
    "habit": ("plain", "ended", "none"),
    "deadline": ("plain", "changed", "changed", "hedged", "with hedged", "none"),
    "status": ("plain", "changed", "none"),
    "owner": ("plain", "changed", "none"),
}
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_SESSIONS = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: `expected` are spellings of the right answer, none where it was never stated; `wrong` are others.

    `verdict` is the right answer of a yes-or-no question.
    """

    text: str
    kind: str
    expected: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    verdict: Literal["", "yes", "no"] = ""

    @property
    def answerable(self) -> bool:
        """Whether the conversation answers it."""
        return bool(self.expected or self.verdict)


@dataclass(frozen=True, slots=True)
class Change:
    """A fact that was replaced or ended: what was stated before, and the words that the old statement holds."""

    old: str
    subject: str
    value: str


@dataclass(slots=True)
class MadeUp:
    """One conversation: its messages by session, its questions, and the changes stated in it."""

    language: str
    sessions: list[list[dict[str, Any]]]
    questions: list[Asked] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


def conversation(language: str, split: Split, seed: int) -> MadeUp:
    """Return the conversation of a language, a split of the templates and a seed."""
    return _Author(language, split, Random(f"{seed} {language} {split}")).write()


class _Author:
    """Writes one conversation: each story is a list of sentences in order, dealt over the sessions."""

    def __init__(self, language: str, split: Split, rng: Random) -> None:
        self.language, self.split, self.rng = language, split, rng
        self.phrases = PHRASES[language]
        values = PHRASES["values"]
        self.pools = {
            name: rng.sample(words := values.get(f"{name}_{language}", values[name]).split(), len(words))
            for name in ("city", "company", "dog", "food", "drink", "project")
        }
        self.names = rng.sample(names := self.phrases["names"].split(), len(names))
        self.stories: list[list[str]] = []
        self.questions: list[Asked] = []
        self.changes: list[Change] = []

    def write(self) -> MadeUp:
        people = [self.names.pop() for _ in range(4)]
        for topic in _OF_PEOPLE:
            for person in people:
                self._add(topic, person, self.rng.choice(_STORIES[topic]))
            self._add(topic, None, self.rng.choice([s for s in _STORIES[topic] if s in ("plain", "changed", "none")]))
        for project in [self.pools["project"].pop() for _ in range(3)]:
            for topic in _OF_PROJECTS:
                self._add(topic, self.phrases[topic]["subject"].format(p=project), self.rng.choice(_STORIES[topic]))
        self.rng.shuffle(self.questions)
        return MadeUp(self.language, self._sessions(), self.questions, self.changes)

    def _pick(self, topic: str, form: str) -> str | None:
        """Return a template of this split, None where the language has none."""
        suffix = "_held_out" if self.split == "held-out" else ""
        templates = self.phrases[topic].get(form + suffix, ())
        return self.rng.choice(templates) if templates else None

    def _value(self, topic: str) -> tuple[str, ...]:
        """Return spellings of a new object of a topic, as it is stated first."""
        if topic in ("born", "deadline"):
            year = self.rng.randrange(1950, 2005) if topic == "born" else 2026
            day = date(year, self.rng.randrange(4, 13), self.rng.randrange(1, 29))
            month = _MONTHS[self.language].split()[day.month - 1]
            return (_DATES[self.language].format(d=day.day, m=month, y=day.year), day.isoformat())
        if topic == "status":
            return (self.rng.choice(self.phrases["status"]["values"]),)
        pool = self.names if topic == "owner" else self.pools[_VALUES[topic]]
        pool.append(pool.pop(0))  # a small pool is used again
        return (pool[-1],)

    def _say(self, topic: str, form: str, subject: str | None, value: str, old: str = "") -> str:
        template = self._pick(topic, form + "_mine" if form == "change" and subject is None else form)
        if subject is None and form == "state":
            template = self._pick(topic, "mine")
        if template is None:
            raise LookupError(f"{self.language}.{topic} has no {form}")
        return self._fill(template, subject or "", value, old)

    def _fill(self, template: str, subject: str, value: str, old: str) -> str:
        genitive = f"{subject}'" if subject.endswith(("s", "x", "z")) else f"{subject}s"
        text = template.format(s=subject, S=subject[:1].upper() + subject[1:], ss=genitive, o=value, old=old)
        return text[:1].upper() + text[1:]

    def _ask(self, topic: str, subject: str | None, **answer: Any) -> None:
        template = self._pick(topic, "ask" if subject is not None else "ask_mine")
        if template is not None:
            kind = f"{topic}, never stated" if not answer.get("expected") else topic
            self.questions.append(Asked(self._fill(template, subject or "", "", ""), kind, **answer))

    def _check(self, topic: str, subject: str, value: str, verdict: Literal["yes", "no"]) -> None:
        template = self._pick(topic, "check")
        if template is not None:
            text = self._fill(template, subject, value, "")
            self.questions.append(Asked(text, f"{topic}, yes or no", verdict=verdict))

    def _add(self, topic: str, subject: str | None, story: str) -> None:
        first, second = self._value(topic), self._value(topic)
        while second == first:
            second = self._value(topic)
        if story == "plain":
            self._plain(topic, subject, first)
        elif story == "changed":
            before, after = (self._say(topic, form, subject, *rest) for form, rest in self._steps(first, second))
            self.stories.append([before, after])
            self.changes.append(Change(before, subject or "", first[0]))
            self._ask(topic, subject, expected=second, wrong=first)
        elif story in ("former", "hedged", "denied", "other") and topic != "allergy":
            self.stories.append([self._say(topic, story, subject, first[0])])
            self._ask(topic, subject, wrong=first)
        elif story == "denied":
            self.stories.append([self._say(topic, story, subject, first[0])])
            self._check(topic, subject or "", first[0], "no")
        elif story == "ended":
            before = self._say(topic, "state", subject, first[0])
            self.stories.append([before, self._say(topic, "ended", subject, first[0])])
            self.changes.append(Change(before, subject or "", first[0]))
            self._check(topic, subject or "", first[0], "no")
        elif story in ("relative", "both"):
            self._relative(topic, subject or "", first, second, with_own=story == "both")
        elif story in ("with former", "with hedged"):
            self._plain(topic, subject, first)
            self.stories[-1].append(self._say(topic, story.removeprefix("with "), subject, second[0]))
        else:
            self._ask(topic, subject)

    @staticmethod
    def _steps(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield "state", (first[0],)
        yield "change", (second[0], first[0])

    def _plain(self, topic: str, subject: str | None, value: tuple[str, ...]) -> None:
        self.stories.append([self._say(topic, "state", subject, value[0])])
        if topic in ("allergy", "habit") and subject is not None:
            self._check(topic, subject, value[0], "yes")
        if topic != "habit":
            self._ask(topic, subject, expected=value)

    def _relative(
        self, topic: str, subject: str, theirs: tuple[str, ...], own: tuple[str, ...], *, with_own: bool
    ) -> None:
        suffix = "_held_out" if self.split == "held-out" else ""
        genitive = f"{subject}'" if subject.endswith(("s", "x", "z")) else f"{subject}s"
        relative = self.rng.choice(self.phrases[f"relatives{suffix}"]).format(s=subject, ss=genitive)
        self.stories.append([self._say(topic, "state", relative, theirs[0])])
        self._ask(topic, relative, expected=theirs, wrong=own)
        if with_own:
            self._plain(topic, subject, own)
        else:
            self._ask(topic, subject, wrong=theirs)

    def _sessions(self) -> list[list[dict[str, Any]]]:
        """Deal the stories over the sessions, each in its order, with small talk and replies between them."""
        places = [sorted(self.rng.choices(range(_SESSIONS), k=len(story))) for story in self.stories]
        sessions: list[list[dict[str, Any]]] = []
        for number in range(_SESSIONS):
            lines = [
                sentence
                for story, where in zip(self.stories, places, strict=True)
                for sentence, place in zip(story, where, strict=True)
                if place == number
            ]
            messages: list[tuple[str, str]] = []
            for line in lines:
                if self.rng.random() < 0.4:
                    messages.append(("user", self.rng.choice(self.phrases["smalltalk"])))
                messages.append(("user", line))
                if self.rng.random() < 0.5:
                    messages.append(("assistant", self.rng.choice(self.phrases["replies"])))
            begin = _START + timedelta(days=3 * number)
            sessions.append(
                [
                    {"role": role, "content": content, "at": (begin + timedelta(minutes=minute)).isoformat()}
                    for minute, (role, content) in enumerate(messages)
                ]
            )
        return sessions


# -------------------------------------------------------------------------------------------------------------- rating


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was given to a question: "" where none was; `outcome` is right, wrong or abstained."""

    language: str
    question: Asked
    answer: str
    confidence: float

    @property
    def outcome(self) -> Literal["right", "wrong", "abstained"]:
        """What the answer is."""
        if not self.answer:
            return "abstained"
        return "right" if is_right(self.question, self.answer) else "wrong"


def is_right(question: Asked, answer: str) -> bool:
    """Say whether an answer holds the expected value and no wrong one, or begins with the right verdict."""
    text = answer.casefold()
    if question.verdict:
        words = [word.strip(".,;:!?") for word in text.split()[:3]]
        yes, no = any(word in _YES for word in words[:1]), any(word in _NO for word in words)
        return yes and not no if question.verdict == "yes" else no
    held = any(value.casefold() in text for value in question.expected)
    return held and not any(value.casefold() in text for value in question.wrong)


@dataclass(frozen=True, slots=True)
class Figures:
    """The outcomes of questions that are answerable and of those that are not, and the changes stated."""

    questions: int
    right: int
    wrong: int
    unanswerable: int
    refused: int
    changes: int
    closed: int
    false_closures: int

    def line(self, name: str) -> str:
        """Return them as a line of a table."""

        def share(part: int, whole: int) -> str:
            return f"{100 * part / whole:6.1f}" if whole else "     -"

        return (
            f"{name:<12}{self.questions:>10}{share(self.right, self.questions - self.unanswerable)}"
            f"{share(self.wrong, self.questions)}{share(self.refused, self.unanswerable)}"
            f"{self.changes:>9}{share(self.closed, self.changes)}{self.false_closures:>8}"
        )


@dataclass(frozen=True, kw_only=True)
class Conversations(Report):
    """What an evaluation of made-up conversations found, by language.

    `curve` gives for each least confidence the share of questions answered and the share of these that are wrong.
    `sure` is the share of answers at a confidence of .9 or more that are right, and the share of right answers that
    have it.
    """

    split: Split
    seed: int
    figures: Mapping[str, Figures]
    kinds: Mapping[str, Mapping[str, int]]
    curve: Sequence[tuple[float, float, float]]
    sure: tuple[float, float]
    wrong: Sequence[Mapping[str, str]]

    def lines(self) -> list[str]:
        head = f"{'':<12}{'questions':>10}{'right':>6}{'wrong':>6}{'refused':>8}{'changes':>7}{'closed':>7}{'false':>7}"
        risk = [
            f"  from {least:.1f}: {100 * share:5.1f} % answered, {100 * wrong:5.1f} % of them wrong"
            for least, share, wrong in self.curve
        ]
        return [
            f"Templates: {self.split}. In %: right of the answerable, wrong of all, refused of the unanswerable",
            head,
            *(each.line(name) for name, each in self.figures.items()),
            "",
            *(f"{kind:<26}{dict(found)}" for kind, found in sorted(self.kinds.items())),
            "",
            "By confidence",
            *risk,
            f"  at .9: {100 * self.sure[0]:.1f} % are right; {100 * self.sure[1]:.1f} % of the right ones are there",
        ]


def evaluate(
    *,
    split: Split = "held-out",
    size: int = CONVERSATIONS,
    one_in: int = 1,
    seed: int = SEED,
    embedder: str | Embedder | None = "auto",
    store: str | None = None,
    store_dir: str | None = None,
    progress: Progress | None = None,
) -> Conversations:
    """Hold made-up conversations with a memory without a model, ask what they state, and rate the answers.

    Args:
        split: The templates: `development`, or `held-out`, which nothing is adjusted to.
        size: How many conversations of each language.
        one_in: Of so many questions of a conversation one is asked.
        seed: The seed of what is made up.
        embedder: As `MemoryManager` takes it.
        store: The URL of a server on which databases are made for the stores; None makes files.
        store_dir: The folder for those files; None is that of temporary files.
        progress: Called as it goes on.

    Raises:
        ValueError: `size` is below 1.
    """
    if size < 1:
        raise ValueError("size is at least 1")
    given: list[Given] = []
    closed: dict[str, Counter[str]] = {language: Counter() for language in LANGUAGES}
    total = size * len(LANGUAGES)
    with temporary_stores(store, store_dir, purpose="eval") as stores:
        for number in range(total):
            language, clock = LANGUAGES[number % len(LANGUAGES)], FrozenClock(_START)
            made = conversation(language, split, seed + number)
            address = stores.address(f"conversation{number}")
            with MemoryManager(
                address, user="ana", embedder=embedder, llm="none", clock=clock, settings=NO_WORKER
            ) as m:
                hold(m, made, clock)
                closed[language].update(closures(m, made))
                given += [_answer(m, language, each) for each in made.questions[::one_in]]
            stores.drop(f"conversation{number}")
            if progress is not None:
                progress(number + 1, total, language)
    figures = {name: _figures([g for g in given if g.language == name], closed[name]) for name in LANGUAGES}
    kinds: dict[str, Counter[str]] = {}
    for each in given:
        kinds.setdefault(each.question.kind, Counter())[each.outcome] += 1
    return Conversations(
        split=split,
        seed=seed,
        figures={**figures, "all": _figures(given, sum(closed.values(), Counter()))},
        kinds={kind: dict(found) for kind, found in kinds.items()},
        curve=risk_coverage(given),
        sure=_sure(given),
        wrong=[
            {
                "question": g.question.text,
                "answer": g.answer,
                "expected": " / ".join(g.question.expected) or g.question.verdict,
            }
            for g in given
            if g.outcome == "wrong"
        ],
    )


def hold(view: MemoryManager, made: MadeUp, clock: FrozenClock) -> None:
    """Remember the messages of a conversation, session by session, each at its time."""
    for number, messages in enumerate(made.sessions):
        if messages:
            clock.advance(datetime.fromisoformat(messages[0]["at"]) - clock.now())
            view.remember_messages(messages, session=f"session-{number}")
            clock.advance(timedelta(minutes=len(messages)))
            view.flush()


def closures(view: MemoryManager, made: MadeUp) -> Counter[str]:
    """Count the changes, those whose old statement is superseded, and the memories superseded for no change."""
    gone = [each for each in view.iter_memories(status="superseded") if not each.metadata.get("is_summary")]
    superseded = [memory.content.casefold() for memory in gone]  # a digest of a session is replaced by a newer one
    expected = [(change.subject.casefold(), change.value.casefold()) for change in made.changes]
    found = sum(any(value in text and subject in text for text in superseded) for subject, value in expected)
    false = sum(not any(value in text for _, value in expected) for text in superseded)
    return Counter(changes=len(expected), closed=found, false=false)


def _answer(view: MemoryManager, language: str, question: Asked) -> Given:
    answer = view.synthesize(question.text, touch=False)
    text = "" if answer.abstained else str(answer.synthesis["answer"])
    return Given(language, question, text, float(answer.metadata.get("confidence") or 0.0))


def _figures(given: Sequence[Given], closed: Mapping[str, int]) -> Figures:
    unanswerable = [each for each in given if not each.question.answerable]
    outcomes = Counter(each.outcome for each in given)
    return Figures(
        questions=len(given),
        right=outcomes["right"],
        wrong=outcomes["wrong"],
        unanswerable=len(unanswerable),
        refused=sum(each.outcome == "abstained" for each in unanswerable),
        changes=closed["changes"],
        closed=closed["closed"],
        false_closures=closed["false"],
    )


def risk_coverage(given: Sequence[Given]) -> list[tuple[float, float, float]]:
    """Return for each least confidence the share of questions answered, and of these the share that is wrong."""
    curve = []
    for tenth in range(10):
        answered = [each for each in given if each.answer and each.confidence >= tenth / 10]
        wrong = sum(each.outcome == "wrong" for each in answered)
        curve.append((tenth / 10, len(answered) / max(len(given), 1), wrong / max(len(answered), 1)))
    return curve


def _sure(given: Sequence[Given]) -> tuple[float, float]:
    right = [each for each in given if each.outcome == "right"]
    sure = [each for each in given if each.answer and each.confidence >= SURE]
    both = sum(each.confidence >= SURE for each in right)
    return both / max(len(sure), 1), both / max(len(right), 1)
