"""Several tenants in one store, each compared with a store of its own: each sees exactly what it would alone.

    python -m campaigns tenants --rounds 50
    python -m campaigns tenants --rounds 50 --over rest
    python -m campaigns tenants --rounds 50 --store postgresql://...

Every call is made twice, in the store that all share and in one that holds this tenant alone, and must return, raise
and write the same but for ids, and must not name what another tenant wrote. Agents of one user share a store of their
own: nothing that one of them wrote for itself may reach the other.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from benchmarks.servers import server_stores
from benchmarks.stores import Stores
from campaigns.acts import ACTS, Given
from campaigns.remote import REST_ACTS, TOOLS, Served
from campaigns.report import finish
from engrain import EngrainError, MemoryManager, RetentionPolicy, Settings
from engrain.erasure.receipts import REWRITTEN
from engrain.model.memory import Scope
from engrain.testing import FakeEmbedder, FrozenClock

_ID = re.compile(r"\b(?:job_)?[a-z]{2,4}_[0-9a-f]{32}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}\b")
_SALTED = re.compile(
    r'"(?:digest|hash)": "(?:2:)?[0-9a-f]{64}"|\bent_\d+|\brec_\d+_|\bnote--[0-9a-f-]+…?|\bmem_[0-9a-f]+…'
)  # what the audit trail says of a text, and ids that were cut; never twice the same
# A refusal repeats the id that the caller gave, of any tenant, and nothing more of it.
_REFUSED = re.compile(
    r"no memory '\w+' in this scope|no memory that this view knows: '\w+'|\w+ cannot (?:supersede|be linked to) itself"
)
_POLICIES = (RetentionPolicy(kind="episodic", ttl=20 * 86400.0, cap=8), RetentionPolicy(kind="semantic", cap=12))


class Characters:
    """Counts characters: ids are random, and of one length, so that what fits a budget does not depend on them."""

    def count_tokens(self, text: str) -> int:
        """Return how many characters a text has, by four."""
        return -(-len(text) // 4)

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        """Return the beginning of a text."""
        return text[: 4 * max_tokens]


@dataclass(frozen=True, slots=True)
class Speaker:
    """A view of a tenant; `mark` is a word in what it alone writes, `hidden` are marks that it must never be shown."""

    mark: str
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    hidden: tuple[str, ...] = ()


@dataclass(slots=True)
class Tenant:
    """A user or a whole org, with its views."""

    org: str
    speakers: tuple[Speaker, ...]
    whole: bool
    alone: MemoryManager | None = None
    shared: list[str] = field(default_factory=list)  # the ids that it was shown, in order
    own: list[str] = field(default_factory=list)  # the same, in its own store

    @property
    def marks(self) -> set[str]:
        """The words that are its own."""
        return {speaker.mark for speaker in self.speakers}


def tenants() -> tuple[Tenant, ...]:
    """Return two users of an org, one of them with two agents, and another org with a user of the same name."""
    ana = (
        Speaker("quokka", "ana"),
        Speaker("marten", "ana", "scout", hidden=("civet",)),
        Speaker("civet", "ana", "coach", hidden=("marten",)),
        Speaker("okapi", "ana", None, "s1"),
    )
    org = (Speaker("ibis"), Speaker("heron", "ana"), Speaker("egret", None, "scout"))
    return (
        Tenant("acme", ana, False),
        Tenant("acme", (Speaker("walrus", "bo"), Speaker("dugong", "bo", None, "s2")), False),
        Tenant("zeta", org, True),
    )


class Comparison:
    """The shared store and those that each tenant has alone; `step` makes one call in both and compares."""

    def __init__(self, folder: Path, over: str = "python", stores: Stores | None = None) -> None:
        self._stores_of, self._over = stores, over
        self.clock = FrozenClock("2026-03-01T12:00:00+00:00")
        self.folder = folder
        self.together = self._opened("together.db")
        self.tenants = tenants()
        for number, tenant in enumerate(self.tenants):
            (folder / str(number)).mkdir()
            tenant.alone = self._opened(f"alone{number}.db")
        for memory in self._stores():
            memory.sweep()  # the first one examines the whole store under its policies
        self._served = {id(memory): Served(memory) for memory in self._stores() if over != "python"}
        self.calls: Counter[str] = Counter()

    def _opened(self, name: str) -> MemoryManager:
        chosen = Settings(worker="none", durability="normal", retention="bounded", policies=_POLICIES)
        place = self.folder / name if self._stores_of is None else self._stores_of.address(name)
        return MemoryManager(
            place, embedder=FakeEmbedder(16), clock=self.clock, settings=chosen, tokenizer=Characters()
        )

    def close(self) -> None:
        """Stop every server, and close every store."""
        for served in self._served.values():
            served.close()
        for memory in self._stores():
            memory.close()

    def advance(self, hours: int) -> None:
        """Let time pass in every store."""
        self.clock.advance(timedelta(hours=hours))
        for memory in self._stores():
            memory.flush()  # idle sessions end with any call

    def _stores(self) -> list[MemoryManager]:
        return [self.together, *(tenant.alone for tenant in self.tenants if tenant.alone is not None)]

    def step(self, tenant_number: int, speaker: int, name: str, seed: int) -> None:
        """Let a view of a tenant make one call."""
        number = tenant_number % len(self.tenants)
        tenant, folder = self.tenants[number], self.folder / str(number)  # its own: none overwrites another's export
        who = tenant.speakers[speaker % len(tenant.speakers)]
        known = set(tenant.shared)
        foreign_ids = [
            one for other in self.tenants if other is not tenant for one in other.shared[-4:] if one not in known
        ]
        self.calls[name] += 1
        assert tenant.alone is not None
        both = [
            self._outcome(
                memory,
                Scope(tenant.org, who.user, who.agent, who.session),
                name,
                Given(random.Random(seed), who.mark, tenant.speakers[0].mark, folder, [*ids, *foreign_ids]),
            )
            for memory, ids in ((self.together, tenant.shared), (tenant.alone, tenant.own))
        ]
        for memory in (self.together, tenant.alone):
            memory.count(heat=["hot"])  # what was recalled is counted now, in both
        outcomes = [_canonical(outcome, ids) for outcome, ids in zip(both, (tenant.shared, tenant.own), strict=True)]
        assert outcomes[0] == outcomes[1], f"{who} {name}: {_difference(*outcomes)}"
        foreign = {mark for other in self.tenants if other is not tenant for mark in other.marks} | set(who.hidden)
        named = {mark for mark in foreign if mark in both[0].casefold()}
        assert not named, f"{who} {name} names {named}: {both[0]}"
        self._agents_apart(tenant, who, name, both[0])

    def _outcome(self, memory: MemoryManager, scope: Scope, name: str, given: Given) -> str:
        try:
            if self._over == "mcp":
                return _as_text(self._served[id(memory)].call(scope, name, TOOLS[name](given)))
            if self._over == "rest":
                client = self._served[id(memory)].view(scope)
                return _as_text(ACTS[name](cast(MemoryManager, client), given))
            view = memory.for_org(scope.org).scoped(user=scope.user, agent=scope.agent, session=scope.session)
            return _as_text(ACTS[name](view, given))
        except (ValueError, EngrainError) as error:
            return f"{type(error).__name__}: {error}"

    def _agents_apart(self, tenant: Tenant, who: Speaker, name: str, outcome: str) -> None:
        """Check that nothing is shown that only another agent of the same user may see."""
        if who.agent is None:
            return
        whole = self.together.for_org(tenant.org).scoped(user=who.user)
        outcome = _REFUSED.sub("", outcome)
        for memory in whole.iter_memories(status="all"):
            theirs = memory.scope.agent not in (None, who.agent)
            assert not (theirs and memory.id in outcome), f"{who} {name} is shown {memory.id}: {outcome}"


def _canonical(outcome: str, ids: list[str]) -> str:
    """Return an outcome with ids by number, recording those that are new."""

    def number(found: re.Match[str]) -> str:
        if found[0] not in ids:
            ids.append(found[0])
        return f"#{ids.index(found[0])}"

    return _SALTED.sub("", _ID.sub(number, outcome)).replace(REWRITTEN, "")


def _difference(together: str, alone: str) -> str:
    """Return where two outcomes differ, with the text around it."""
    pairs = enumerate(zip(together, alone, strict=False))
    at = next((place for place, (one, other) in pairs if one != other), min(len(together), len(alone)))
    here = slice(max(at - 300, 0), at + 300)
    return f"\n{together[here]}\nand alone\n{alone[here]}"


# How long it took, how large the file is, and which files are left: all stores of a round write to the same paths.
_ASIDE = frozenset({"ms", "store_bytes", "cursor", "salt", "out_of_reach"})


def _as_text(value: object) -> str:
    """Return everything in an outcome as text."""
    if isinstance(value, enum.Enum | datetime | timedelta | str | int | type(None) | bytes | Path):
        return str(value)
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, Mapping) and not dataclasses.is_dataclass(value):
        # A mapping is equal in any order; the names of its keys decide, as far as they are no ids of the moment.
        pairs = sorted(value.items(), key=lambda pair: _ID.sub("", str(pair[0])))
        return f"{{{', '.join(f'{key}: {_as_text(each)}' for key, each in pairs)}}}"
    if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        of_tuple = getattr(value, "_fields", ())
        every = of_tuple or [each.name for each in dataclasses.fields(value)]  # type: ignore[arg-type]
        names = (name for name in every if name not in _ASIDE)
        parts = (f"{name}={_as_text(getattr(value, name))}" for name in names)
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, Iterable):
        beside = getattr(value, "__dict__", {})
        more = {name: each for name, each in beside.items() if not name.startswith("_") and name != "next"}
        return f"[{', '.join(map(_as_text, value))}] {_as_text(more) if more else ''}"
    raise TypeError(f"{type(value).__name__} cannot be compared")


def run(
    rounds: int, *, steps: int = 150, seed: int = 1, over: str = "python", url: str = ""
) -> tuple[Counter[str], list[str]]:
    """Run rounds in fresh stores; return how often each method was called, and what was wrong."""
    calls, faults = Counter[str](), []
    for number in range(rounds):
        rng = random.Random(f"{seed} {number}")
        with tempfile.TemporaryDirectory() as name, _databases(url) as stores:
            comparison = Comparison(Path(name), over, stores)
            try:
                for _ in range(steps):
                    act = rng.choice(_LIKELY[over])
                    comparison.step(rng.randrange(9), rng.randrange(9), act, rng.randrange(1 << 30))
                    if rng.random() < 0.1:
                        comparison.advance(rng.choice((1, 30, 600)))
            except AssertionError as fault:
                faults.append(f"round {number}: {fault}")
            finally:
                calls += comparison.calls
                comparison.close()
    return calls, faults


@contextmanager
def _databases(url: str) -> Iterator[Stores | None]:
    """Lend databases of a server for one round, None for files."""
    if not url:
        yield None
        return
    with server_stores(url, "tenants") as stores:
        yield stores


_OFTEN = ("remember", "add_message", "remember_many", "supersede", "graph.add_alias") * 6
_LIKELY = {"python": (*ACTS, *_OFTEN), "rest": (*REST_ACTS, *_OFTEN), "mcp": (*TOOLS, *("remember",) * 6)}


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--over", choices=tuple(_LIKELY), default="python", help="how the tenants reach their memory")
    parser.add_argument("--store", default="", help="a server on which databases are made for each round")
    chosen = parser.parse_args()
    calls, faults = run(chosen.rounds, steps=chosen.steps, seed=chosen.seed, over=chosen.over, url=chosen.store)
    rows = [{"method": name, "calls": times} for name, times in sorted(calls.items())]
    return finish("tenants", rows, {"rounds": chosen.rounds, "calls": sum(calls.values())}, faults)


if __name__ == "__main__":
    sys.exit(main())
