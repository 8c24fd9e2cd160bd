"""Conversations and graphs of any size, the same for the same seed: made up, or put together from real ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from random import Random
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np

from benchmarks.datasets import load
from benchmarks.metrics import Floats, Ints

VOCABULARY = 20_000  # words made up, behind the common ones
TURNS = 20  # of a session
SHORTEST, LONGEST = 20, 60  # words of a turn
_BEGINS, _SPAN = datetime(2023, 1, 1, tzinfo=UTC), timedelta(days=700)

_COMMON = """the of and a to in is it that was for on you with as he be at they I this have from or had by not but what
all were we when your can said there an each which she do how their if will up about out many then them these so some
her would make like him into has look two more go see no way could my than first been who its now long down did get come
made may over after also back because just know most only other our people really take think time very want well work
year""".split()
_ONSETS = "b br c ch cl d dr f fl g gr h j k l m n p pl pr r s sh sl sp st t th tr v w".split()
_NUCLEI = "a e i o u ai ea ee oa ou".split()
_CODAS = ["", "", "", *"n r l s t m nd st ck ng".split()]
_ENDINGS = ["", "", "", "", *"s ed er ing ly tion ment".split()]
_NAMES = "Ada Bela Carlos Dina Emil Fatima Goran Hana Ivo Jun Kofi Lena Mira Nils Olga Pavel Rosa Sven Tara Uma".split()
_MONTHS = "January February March April May June July August September October November December".split()
_ASIDES = ("yesterday", "last week", "on {day} {month} {year}", "in {month} {year}", "two days ago", "next Friday")
_QUESTIONS = (
    "What did {name} say about {0} and the {1} {2}?",
    "When was it that {name} made the {0} {1} for {2}?",
    "Who would like to see {0} or {1} with {2} in {month} {year}?",
    "How many {0} are there in the {1} of {2} and {3}?",
    "Did they look at {name}'s {0} {1} first?",
)

Item: TypeAlias = Mapping[str, Any]
Relation: TypeAlias = tuple[int, str, int]


class Corpus:
    """Made-up conversations: word frequencies as in language (Zipf), names, dates, sessions of turns by two people.

    Every user has a different conversation; one of another length of the same user is another conversation.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def items(self, user: str, count: int) -> Iterator[Item]:
        """Yield `count` turns of a user's conversation as arguments of `remember`, in order of time."""
        rng, people = self._seeded(user, count)
        step = _SPAN / (count // TURNS + 1)
        for first in range(0, count, TURNS):
            started = _BEGINS + step * (first // TURNS)
            for turn, text in enumerate(self._texts(rng, min(TURNS, count - first), people)):
                yield {
                    "content": text,
                    "session": f"session-{first // TURNS}",
                    "actor": people[turn % 2],
                    "valid_from": started + timedelta(minutes=turn),
                }

    def questions(self, user: str, count: int) -> list[str]:
        """Return questions about a user's conversation, in words as common as those of the texts."""
        rng, people = self._seeded(user, count)
        found = []
        for number in range(count):
            rare = [self._words[place] for place in self._draw(rng, 40) if place >= len(_COMMON)]
            pattern = _QUESTIONS[number % len(_QUESTIONS)]
            found.append(pattern.format(*rare[:4], name=people[number % 2], month=_MONTHS[number % 12], year=2023))
        return found

    def _seeded(self, user: str, count: int) -> tuple[np.random.Generator, list[str]]:
        number = crc32(user.encode())
        people = np.random.default_rng([self.seed, number]).choice(len(_NAMES), 2, replace=False)
        return np.random.default_rng([self.seed, number, count]), [_NAMES[place] for place in people]

    def _texts(self, rng: np.random.Generator, count: int, people: list[str]) -> Iterator[str]:
        lengths = rng.integers(SHORTEST, LONGEST + 1, count).tolist()
        places = iter(self._draw(rng, sum(lengths)))
        stops = iter(rng.integers(6, 15, sum(lengths)).tolist())
        chances = rng.random((count, 3)).tolist()
        for length, (named, dated, which) in zip(lengths, chances, strict=True):
            words = [self._words[next(places)] for _ in range(length)]
            if named < 0.5:
                words[int(which * length)] = people[int(named * 4)]
            if dated < 0.25:
                words[int(which * 6) + 3] = _aside(int(dated * 4000))
            yield _sentences(words, stops)

    def _draw(self, rng: np.random.Generator, count: int) -> list[int]:
        places: list[int] = np.searchsorted(self._shares, rng.random(count)).tolist()
        return places

    @cached_property
    def _shares(self) -> Floats:
        weights = 1.0 / np.arange(1, len(self._words) + 1)
        return np.asarray(np.cumsum(weights / weights.sum()).clip(max=1.0))

    @cached_property
    def _words(self) -> list[str]:
        """The vocabulary, commonest first: common English words, then made-up ones, short before long."""
        chances, found = Random(self.seed), dict.fromkeys(_COMMON)
        pick = chances.choice
        while len(found) < len(_COMMON) + VOCABULARY:
            syllables = 1 + (chances.random() < 0.6) + (chances.random() < 0.3 * len(found) / VOCABULARY)
            start = "".join([pick(_ONSETS) + pick(_NUCLEI) for _ in range(syllables)])
            found[start + pick(_CODAS) + pick(_ENDINGS)] = None
        return list(found)


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MOST_SENTENCES = 3  # of a turn that is put together


class TalkCorpus(Corpus):
    """The turns of the conversations of a file, and as many more as are wanted, put together from their sentences."""

    def __init__(self, seed: int, path: str | os.PathLike[str]) -> None:
        super().__init__(seed)
        self._conversations = list(load(path))

    def items(self, user: str, count: int) -> Iterator[Item]:
        rng, people = self._seeded(user, count)
        turns = [(talk.id, item) for talk in self._conversations for item in talk.items]
        first = int(rng.integers(0, len(turns)))  # users begin at different turns
        for name, item in (turns[first:] + turns[:first])[:count]:
            kept: dict[str, Any] = {of: item[of] for of in ("content", "actor", "valid_from") if of in item}
            yield {**kept, "session": f"{name} {item.get('session', '')}"}
        sentences = [each for _, item in turns for each in _SENTENCE_END.split(item["content"]) if each]
        for number in range(count - len(turns)):
            chosen = rng.integers(0, len(sentences), int(rng.integers(1, _MOST_SENTENCES + 1)))
            yield {
                "content": " ".join([sentences[place] for place in chosen]),
                "session": f"session-{number // TURNS}",
                "actor": people[number % 2],
                "valid_from": _BEGINS + timedelta(minutes=number),
            }

    def questions(self, user: str, count: int) -> list[str]:
        asked = [question.text for talk in self._conversations for question in talk.questions]
        rng, _ = self._seeded(user, count)
        order = [int(place) for _ in range(0, count, len(asked)) for place in rng.permutation(len(asked))]
        return [asked[place] for place in order[:count]]


def corpus(seed: int, path: str | os.PathLike[str] | None = None) -> Corpus:
    """Return the conversations of a file, or made-up ones where there is none."""
    return Corpus(seed) if path is None else TalkCorpus(seed, path)


def _aside(number: int) -> str:
    """Return one of a thousand time expressions."""
    pattern = _ASIDES[number % len(_ASIDES)]
    return pattern.format(day=number % 28 + 1, month=_MONTHS[number % 12], year=2022 + number % 2)


def _sentences(words: list[str], stops: Iterator[int]) -> str:
    found, start = [], 0
    while start < len(words):
        end = start + next(stops)
        sentence = " ".join(words[start:end])
        found.append(f"{sentence[0].upper()}{sentence[1:]}.")
        start = end
    return " ".join(found)


# --------------------------------------------------------------------------------------------------------------- graphs

_RELATIONS = "uses exploits targets attributed_to located_at affiliated_with causes participates_in".split()
_TYPES = "tool person organization place campaign".split()
_NEAR = 0.1  # of the mean degree: how far from it an average entity is


class Network:
    """A graph with a few hubs: the chance of an entity to be in a relation falls with the root of its rank.

    The number of entities then falls with the cube of their degree, as under preferential attachment.
    """

    def __init__(self, relations: int, entities: int, seed: int) -> None:
        rng = np.random.default_rng([seed, relations])
        chances = 1 / np.sqrt(np.arange(1, entities + 1))
        chances /= chances.sum()
        numbers = rng.permutation(entities)
        self._sources = numbers[rng.choice(entities, relations, p=chances)]
        targets = numbers[rng.choice(entities, relations, p=chances)]
        self._targets = np.where(targets == self._sources, (targets + 1) % entities, targets)  # no loops
        self._kinds = rng.integers(0, len(_RELATIONS), relations)

    def relations(self) -> Iterator[Relation]:
        """Yield the relations: source, name, target."""
        for source, kind, target in zip(self._sources, self._kinds, self._targets, strict=True):
            yield int(source), _RELATIONS[kind], int(target)

    @staticmethod
    def entity(number: int) -> tuple[str, str]:
        """Return the type and the name of an entity."""
        return _TYPES[number % len(_TYPES)], f"thing {number}"

    @cached_property
    def degrees(self) -> Ints:
        """The number of relations of each entity, on either side."""
        return np.bincount(np.concatenate([self._sources, self._targets]))

    @property
    def average(self) -> list[int]:
        """The entities whose degree is about the mean."""
        mean = self.degrees.mean()
        found: list[int] = np.flatnonzero(np.abs(self.degrees - mean) <= _NEAR * mean).tolist()
        return found

    @property
    def hubs(self) -> list[int]:
        """The entities by degree, the highest first."""
        found: list[int] = np.argsort(-self.degrees, kind="stable").tolist()
        return found
