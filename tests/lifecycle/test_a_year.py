"""A year of one user's memory, day by day: what is recalled, archived, promoted, expired, and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from engrain import MemoryManager, Settings
from engrain.model.filters import Test
from engrain.model.memory import AuditEntry, Kind, Memory, Status
from engrain.testing import FrozenClock

DAY = timedelta(days=1)
ALLERGY = "My name is Ana and I am allergic to penicillin."
TRAIN = "The night train to Zugdidi leaves from platform four."
KEY = "The cellar key hangs behind the green door."
TRIFLE = "A pigeon sat on the sill."
ERRANDS = ("the bakery", "the library", "the pharmacy", "the market", "the post office", "the museum", "the pool")


class Year:
    """One user's memory through a year under a preset."""

    def __init__(self, store: str, retention: str) -> None:
        self.clock = FrozenClock("2026-01-01T09:00:00+00:00")
        settings = Settings(retention=retention, worker="none")
        self.memory = MemoryManager(
            store, user="ana", agent="guide", clock=self.clock, embedder=None, settings=settings
        )
        self.ids: dict[str, str] = {}
        self.nights = 4 if retention == "bounded" else 7  # of which one has maintenance: what is kept needs little
        self.begin()
        for day in range(365):
            self.live(day)

    def begin(self) -> None:
        """Say on the first day what shall last, and what shall not."""
        here = self.memory.scoped(session="day 0")
        self.ids["allergy"] = here.add_message("user", ALLERGY).id
        self.ids["key"] = self.memory.remember(KEY, importance=0.3, pinned=True).id
        self.ids["trifle"] = self.memory.remember(TRIFLE, importance=0.12).id
        self.ids["offer"] = self.memory.remember("The bookshop gives a discount.", ttl=7 * DAY).id
        self.ids["note"] = here.remember("ask for the bill", kind="working").id

    def live(self, day: int) -> None:
        """Talk, ask, and let the night do its work."""
        here = self.memory.scoped(session=f"day {day}")
        if day % 2 == 0:
            self.ids[f"errand {day}"] = here.add_message("user", f"On day {day} I went to {ERRANDS[day % 7]}.").id
        if day in (40, 50, 60):
            self.ids[f"train {day}"] = here.add_message("user", TRAIN).id
        if day == 200:
            self.ids["promoted"] = here.add_message("user", "The dentist asked me to come back in spring.").id
            self.memory.promote(self.ids["promoted"], reason="it is a plan")
        if day % 30 == 0:
            self.memory.recall("where is the cellar key?", k=1)
        self.clock.advance(DAY)
        if day % self.nights == 0 or day >= 364:
            self.memory.flush()
            self.memory.sweep()

    def get(self, name: str) -> Memory:
        """Return one of the memories."""
        found = self.memory.get(self.ids[name])
        assert found is not None
        return found

    def trail(self) -> list[AuditEntry]:
        """Return the audit trail."""
        with self.memory.store.read() as reader:
            return reader.find(AuditEntry, [Test("org", "eq", "default")], order="seq")


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Year]:
    """The year under `bounded`."""
    year = Year(str(tmp_path_factory.mktemp("year") / "bounded.db"), "bounded")
    yield year
    year.memory.close()


@pytest.fixture(scope="module")
def keep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Year]:
    """The year under `keep`."""
    year = Year(str(tmp_path_factory.mktemp("year") / "keep.db"), "keep")
    yield year
    year.memory.close()


class TestBounded:
    def test_errands_expire_after_thirty_days(self, bounded: Year) -> None:
        found = [bounded.get(f"errand {day}") for day in range(0, 365, 2)]
        assert all(memory.consolidated_at is not None for memory in found), "each was learnt from first"
        gone = [memory.status is Status.EXPIRED for memory in found]
        assert gone == [day <= 335 for day in range(0, 365, 2)]

    def test_who_she_is_stays(self, bounded: Year) -> None:
        assert bounded.get("allergy").band == "critical"
        assert bounded.get("allergy").status is Status.ACTIVE
        assert ALLERGY in bounded.memory.recall("is Ana allergic?", touch=False).texts

    def test_a_pinned_memory_stays_and_a_trivial_one_fades(self, bounded: Year) -> None:
        assert bounded.get("key").status is Status.ACTIVE
        trifle = bounded.get("trifle")
        assert (trifle.status, trifle.status_reason, trifle.importance) == (Status.ARCHIVED, "decayed", 0.12)

    def test_a_statement_made_on_three_days_is_a_fact(self, bounded: Year) -> None:
        (fact,) = [m for m in bounded.memory.iter_memories(kinds=["semantic"]) if m.content == TRAIN]
        assert {link.memory_id for link in fact.links if link.relation == "derived_from"} == {
            bounded.ids[f"train {day}"] for day in (40, 50, 60)
        }
        assert bounded.get("train 60").status is Status.EXPIRED
        assert bounded.memory.recall("where does the night train leave?", k=1, touch=False).texts == (TRAIN,)

    def test_a_promoted_memory_has_no_end(self, bounded: Year) -> None:
        promoted = bounded.get("promoted")
        assert (promoted.kind, promoted.status, promoted.expires_at) == (Kind.SEMANTIC, Status.ACTIVE, None)

    def test_sessions_ended_and_are_shown(self, bounded: Year) -> None:
        note = bounded.memory.scoped(session="day 0").get(bounded.ids["note"])
        assert note is not None
        assert (note.status, note.status_reason) == (Status.ARCHIVED, "its session ended")
        assert bounded.memory.stats().conversations == {"open": 0, "ended": 183}
        stored = [m for m in bounded.memory.iter_memories(kinds=["episodic"]) if m.metadata.get("is_summary")]
        assert len(stored) >= 14, "those of the last thirty days"


class TestKeep:
    def test_nothing_leaves_but_what_was_given_an_end(self, keep: Year) -> None:
        gone = list(keep.memory.iter_memories(status=["archived", "expired"]))
        assert {m.id for m in gone} == {keep.ids["offer"]}, "and a note, which only its session lists"
        assert keep.get("trifle").status is Status.ACTIVE
        assert keep.get("errand 0").status is Status.ACTIVE

    def test_it_is_all_found(self, keep: Year) -> None:
        for day in (0, 100, 300):
            asked = f"where did Ana go on day {day}?"
            texts = keep.memory.recall(asked, k=5, touch=False).texts
            assert f"On day {day} I went to {ERRANDS[day % 7]}." in texts


@pytest.mark.parametrize("name", ["bounded", "keep"])
def test_every_change_is_in_the_trail(name: str, bounded: Year, keep: Year) -> None:
    year = {"bounded": bounded, "keep": keep}[name]
    trail = year.trail()
    last: dict[str, AuditEntry] = {entry.memory_id: entry for entry in trail}
    reasons = {Status.EXPIRED: ("expire", "ttl_expiry"), Status.ARCHIVED: ("archive", "decayed")}
    for memory in year.memory.iter_memories(status=["archived", "expired"]):
        if memory.kind is not Kind.WORKING:
            entry = last[memory.id]
            assert (entry.operation, entry.reason) == reasons[memory.status]
    assert [entry.reason for entry in trail if entry.operation == "promote"] == ["it is a plan"]
    assert year.memory.verify_audit().ok


@pytest.mark.parametrize("name", ["bounded", "keep"])
def test_the_timeline_ends_with_the_counts_of_now(name: str, bounded: Year, keep: Year) -> None:
    year = {"bounded": bounded, "keep": keep}[name]
    counts = year.memory.lifecycle.timeline()
    assert 360 <= len(counts) <= 400
    now = counts[-1]
    for status in ("active", "archived", "expired"):
        assert getattr(now, status) == year.memory.count(status=status)
    assert max(each.active for each in counts) >= counts[0].active
