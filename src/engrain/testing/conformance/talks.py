"""Conversations and their turns: what is put is read back, beside what the memory of a turn says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeVar

from engrain.model.filters import Condition, Filter, Test
from engrain.model.memory import Status
from engrain.storage.rows import ConversationRow, Record, SummaryRow, TurnRow
from engrain.testing.conformance.base import Conformance
from engrain.testing.rows import NOON, record

T = TypeVar("T")


class Talks(Conformance):
    """Rows of conversations."""

    def talk(self, name: str = "ses_1", *, user: str | None = "ana", agent: str | None = None) -> ConversationRow:
        """Put a conversation and return it as it is read."""
        namespace = self.store.write(lambda tx: tx.namespace("acme", user), "acme")
        self.put(ConversationRow(name, namespace, agent, "monday", NOON, NOON), org="acme")
        (found,) = self.told(ConversationRow, [Test("id", "eq", name)])
        return found

    def told(self, kind: type[T], where: Sequence[Condition] = (), **options: object) -> list[T]:
        """Find rows of the org that talks here."""
        return self.find(kind, where, org="acme", **options)

    def turn(self, talk: ConversationRow, position: int, **fields: object) -> TurnRow:
        """Put a turn."""
        plain = TurnRow(talk.num, position, f"trn_{position}", "user", None, NOON, 3, True, None, "hello", {})
        row = plain._replace(**fields)  # type: ignore[arg-type]
        self.put(row, org="acme")
        return row

    def test_what_is_told_is_read_with_its_conversation_and_takes_the_place_of_what_was(self) -> None:
        talk = self.talk()
        assert talk.state == {}
        for state in ({"summary": "…", "n": [1]}, {"summary": "shorter"}):
            self.put(SummaryRow(talk.num, state), org="acme")
            assert self.told(ConversationRow) == [talk._replace(state=state)]
        self.store.write(lambda tx: tx.delete(SummaryRow, [Test("conversation", "eq", talk.num)]), "acme")
        assert self.told(ConversationRow) == [talk]

    def test_a_conversation_says_whose_it_is(self) -> None:
        talk = self.talk(agent="scout")
        assert talk.num > 0
        assert (talk.org, talk.user, talk.agent, talk.session) == ("acme", "ana", "scout", "monday")
        assert (talk.opened_at, talk.touched_at, talk.ended_at) == (NOON, NOON, None)
        assert self.talk("ses_2", user=None).user is None
        assert len(self.told(ConversationRow)) == 2

    def test_a_conversation_is_changed_in_place(self) -> None:
        talk = self.talk()
        changes: dict[str, Any] = {
            "tokens": 7,
            "next": 3,
            "version": 1,
            "ended_at": NOON + timedelta(minutes=1),
        }
        self.store.write(lambda tx: tx.update(ConversationRow, [Test("num", "eq", talk.num)], **changes), "acme")
        assert self.told(ConversationRow) == [talk._replace(**changes)]

    def test_turns_come_in_their_order_and_only_those_of_one_conversation(self) -> None:
        talk, other = self.talk(), self.talk("ses_2")
        self.turn(other, 0, content="elsewhere")
        said = [self.turn(talk, n, content=f"no {n}", metadata={"n": n}, actor="Ana") for n in (2, 0, 1)]
        found = self.told(TurnRow, [Test("conversation", "eq", talk.num)], order="position")
        assert found == sorted(said, key=lambda turn: turn.position)
        assert self.told(TurnRow, [Test("conversation", "eq", talk.num), Test("position", "ge", 2)]) == [said[0]]

    def test_a_turn_leaves_the_window_and_stays(self) -> None:
        talk = self.talk()
        for n in range(3):
            self.turn(talk, n)
        gone = [Test("conversation", "eq", talk.num), Test("position", "in", (0, 1))]
        assert self.store.write(lambda tx: tx.update(TurnRow, gone, live=False), "acme") == 2
        live = [Test("conversation", "eq", talk.num), Test("live", "eq", True)]
        assert [turn.position for turn in self.told(TurnRow, live, order="position")] == [2]
        assert len(self.told(TurnRow)) == 3

    def test_a_turn_without_a_text_shows_that_of_its_memory(self) -> None:
        talk = self.talk()
        kept = record("The bees swarmed.", org="acme", user="ana")
        (num,) = self.put(kept)
        self.turn(talk, 0, num=num, content=None, id=kept.memory.id)
        (turn,) = self.told(TurnRow)
        assert (turn.content, turn.status) == ("The bees swarmed.", Status.ACTIVE)
        own = [Test("num", "eq", num), Test("content", "eq", None)]
        assert self.store.write(lambda tx: tx.update(TurnRow, own, content="The bees!"), "acme") == 1
        assert self.store.write(lambda tx: tx.update(TurnRow, own, content="again"), "acme") == 0
        self.store.write(lambda tx: tx.update(Record, [Test("num", "eq", num)], status=Status.FORGOTTEN), "acme")
        (turn,) = self.told(TurnRow)
        assert (turn.content, turn.status) == ("The bees!", Status.FORGOTTEN)

    def test_conversations_and_turns_are_counted_inside_walls(self) -> None:
        one, other, shared = self.talk(), self.talk("ses_2", agent="scout"), self.talk("ses_3", user=None)
        for position, talk in enumerate((one, one, other, shared)):
            self.turn(talk, position)
        ana, scout = Filter("acme", "ana"), Test("agent", "eq", "scout", or_null=True)
        cook = Test("agent", "eq", "cook", or_null=True)
        walls = (Filter("acme"), ana, ana.but(scout), ana.but(cook), Filter("acme", "bo"))
        with self.store.read("acme") as reader:
            assert [reader.count(ConversationRow, where)[""] for where in walls] == [3, 2, 2, 1, 0]
            assert [reader.count(TurnRow, where)[""] for where in walls] == [4, 3, 3, 2, 0]
            found = [row.id for row in reader.find(ConversationRow, ana.but(cook), order="num")]
            assert found == [one.id]
            assert [row.position for row in reader.find(TurnRow, ana.but(cook), order="position")] == [0, 1]
        with self.store.read("other") as reader:
            assert reader.count(ConversationRow, Filter("other")) == reader.count(TurnRow, Filter("other")) == {"": 0}

    def test_turns_are_removed_with_what_removes_them(self) -> None:
        talk = self.talk()
        self.turn(talk, 0)
        self.turn(talk, 1)
        assert self.store.write(lambda tx: tx.delete(TurnRow, [Test("position", "eq", 0)]), "acme") == 1
        assert [turn.position for turn in self.told(TurnRow)] == [1]
