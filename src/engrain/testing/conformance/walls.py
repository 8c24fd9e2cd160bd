"""Scope: org and user are walls in every search, an agent is a view."""

from __future__ import annotations

from engrain.model.filters import Filter, Test
from engrain.storage.rows import Record
from engrain.testing.conformance.base import E1, Conformance
from engrain.testing.rows import memory


class Walls(Conformance):
    """Whose memories a filter sees: org and user are walls, an agent is a view."""

    PEOPLE = (
        ("acme", None, None),
        ("acme", None, "scout"),
        ("acme", "ana", None),
        ("acme", "ana", "scout"),
        ("acme", "ana", "coach"),
        ("acme", "bob", None),
        ("Acme", "ana", None),
        ("acme ", "ana", None),
        ("other", None, None),
        ("other", "ana", "scout"),
    )

    def keep_people(self) -> None:
        """Keep one memory for everybody, all with the same words and vector."""
        self.names: dict[int, tuple[str, str | None, str | None]] = {}
        for person in self.PEOPLE:
            org, user, agent = person
            mine = memory(repr(person), org=org, user=user, agent=agent)
            self.names[self.add(mine, "tea", {E1: [1, 0, 0]})] = person

    def seen_by(self, where: Filter) -> set[tuple[str, str | None, str | None]]:
        """Return who is seen, and assert that every way of looking sees the same."""
        found = {self.names[row.num] for row in self.find(Record, where)}
        assert {self.names[num] for num in self.words("tea", where).nums.tolist()} == found
        assert {self.names[num] for num in self.similar([1, 0, 0], where).nums.tolist()} == found
        with self.store.read(where.org) as view:
            assert view.count(Record, where) == {"": len(found)}
        return found

    def test_a_user_is_walled_in(self) -> None:
        self.keep_people()
        assert self.seen_by(Filter("acme", "bob")) == {("acme", "bob", None)}
        assert self.seen_by(Filter("acme", "ana")) == {("acme", "ana", agent) for agent in (None, "scout", "coach")}

    def test_shared_adds_what_carries_no_user(self) -> None:
        self.keep_people()
        shared = {("acme", None, None), ("acme", None, "scout")}
        assert self.seen_by(Filter("acme", "bob", shared=True)) == {("acme", "bob", None)} | shared
        assert self.seen_by(Filter("acme", "nobody", shared=True)) == shared

    def test_an_agent_sees_its_own_and_what_carries_no_agent(self) -> None:
        self.keep_people()
        scout = Test("agent", "eq", "scout", or_null=True)
        assert self.seen_by(Filter("acme", "ana", conditions=(scout,))) == {
            ("acme", "ana", None),
            ("acme", "ana", "scout"),
        }

    def test_an_administrator_sees_one_whole_org(self) -> None:
        self.keep_people()
        assert self.seen_by(Filter("acme")) == {person for person in self.PEOPLE if person[0] == "acme"}
        assert self.seen_by(Filter("acme", shared=True)) == {person for person in self.PEOPLE if person[0] == "acme"}

    def test_nobody_sees_anything_of_a_strange_org_or_user(self) -> None:
        self.keep_people()
        for where in (Filter("nobody"), Filter("nobody", "ana", shared=True), Filter("acme", "%"), Filter("acme", "")):
            assert self.seen_by(where) == set()

    def test_names_that_look_alike_are_different_people(self) -> None:
        for n, user in enumerate(("ana", "Ana", "ana ", "ána", "a\u0301na", "ana\u200b", "NULL", "0")):
            self.add(memory(str(n), user=user))
            assert self.contents(Filter("default", user)) == {str(n)}

    def test_others_never_displace_ones_own_candidates(self) -> None:
        for n in range(30):
            self.add(memory(f"bob {n}", user="bob"), "tea tea", {E1: [1, 0, 0]})
        mine = self.add(memory("mine", user="ana"), "tea among many other words", {E1: [0, 1, 0]})
        assert self.words("tea", Filter("default", "ana"), limit=1).nums.tolist() == [mine]
        assert self.similar([1, 0, 0], Filter("default", "ana"), limit=1).nums.tolist() == [mine]

    def number(self, org: str, user: str | None) -> int:
        """Return the number of a namespace."""
        return self.store.write(lambda tx: tx.namespace(org, user), org)

    def test_a_namespace_has_one_number_for_ever(self) -> None:
        people = [("acme", None), ("acme", "ana"), ("acme", "NULL"), ("other", None), ("other", "ana")]
        numbers = [self.number(*at) for at in people]
        assert len(set(numbers)) == len(people)
        again = [self.number(*at) for at in people]
        assert again == numbers
