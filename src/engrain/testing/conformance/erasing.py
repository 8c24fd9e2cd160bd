"""Bytes that are gone: what deleting leaves in an engine's files, how it is found, and how it is got rid of."""

from __future__ import annotations

from engrain.model.filters import Test
from engrain.storage.interface import Transaction, abandon, imprints, users
from engrain.storage.rows import Posting, Record, Residue, Setting, Vector
from engrain.testing.conformance.base import E1, E2, Conformance
from engrain.testing.rows import memory

_MARK = "vexillographer"
_TEXT = f"The {_MARK} is in."
_VECTORS = {E1: (0.25, 0.5, -0.75), E2: (0.1, -0.7, 0.2)}


class Names(Conformance):
    """Who an org's users are, and how one of them is gone."""

    def test_the_users_of_an_org_are_known(self) -> None:
        for org, user in (("default", "ana"), ("default", None), ("other", "bo")):
            self.add(memory(user=user, org=org))
        assert self.store.write(lambda tx: set(users(tx, "default")), self.org) == {"ana", None}
        assert self.store.write(lambda tx: users(tx, "nobody"), "nobody") == []

    def test_a_namespace_that_holds_something_is_not_given_up(self) -> None:
        num = self.add(memory(user="ana"))
        assert self.store.write(lambda tx: abandon(tx, "default", "ana"), self.org) is False
        self.store.write(lambda tx: tx.delete(Record, [Test("num", "eq", num)]), self.org)
        before = self.store.write(lambda tx: tx.namespace("default", "ana"), self.org)
        assert self.store.write(lambda tx: abandon(tx, "default", "ana"), self.org) is True
        assert "ana" not in self.store.write(lambda tx: users(tx, "default"), self.org)
        assert self.store.write(lambda tx: tx.namespace("default", "ana"), self.org) != before


class Erasing(Conformance):
    """What an erasure asks of a store that keeps files."""

    def marked(self) -> tuple[int, list[bytes]]:
        """Keep a memory with words and vectors; return its row and the bytes by which it would be known."""
        num = self.add(memory(_TEXT), _MARK, _VECTORS)
        return num, [_MARK.encode(), *self.store.write(lambda tx: imprints(tx, [num]), self.org)]

    def erase(self, num: int) -> None:
        """Remove all rows of a memory."""

        def change(transaction: Transaction) -> None:
            for kind in (Posting, Vector, Record):
                transaction.delete(kind, [Test("num", "eq", num)])

        self.store.write(change, self.org)

    def test_a_vector_has_an_imprint(self) -> None:
        _, traces = self.marked()
        assert len(traces) > 1
        assert all(len(trace) >= 3 for trace in traces)

    def test_what_a_row_holds_is_shared(self) -> None:
        _, traces = self.marked()
        assert self.store.purge()
        found = self.store.residue([traces[0], b"nowhere to be found"])
        assert found in (None, Residue(frozenset(), frozenset([traces[0]])))  # None: it cannot be searched

    def test_what_was_deleted_is_gone_after_a_purge_or_at_last_after_rewriting(self) -> None:
        for number in range(50):
            self.add(memory(f"note {number}"), f"note n{number}", _VECTORS)
        num, traces = self.marked()
        self.put(Setting("told", _TEXT))
        self.erase(num)
        self.store.write(lambda tx: tx.delete(Setting, [Test("name", "eq", "told")]), self.org)
        assert self.store.purge()
        found = self.store.residue(traces)
        if found is None or found.left:
            assert self.store.purge(rewrite=True)
            found = self.store.residue(traces)
        assert found is None or found.left == frozenset()
        assert len(self.contents()) == 50

    def test_another_rows_equal_text_is_no_residue(self) -> None:
        num, traces = self.marked()
        self.add(memory(_TEXT, user="bo"), _MARK, _VECTORS)
        self.erase(num)
        assert self.store.purge()
        found = self.store.residue(traces)
        assert found is None or (found.left, _MARK.encode() in found.shared) == (frozenset(), True)

    def test_other_store_objects_see_what_is_left(self) -> None:
        other = self.open()
        num, _ = self.marked()
        self.add(memory("note"), "note", _VECTORS)
        with other.read(self.org) as view:
            assert view.count(Record) == {"": 2}
        self.erase(num)
        assert self.store.purge()
        assert self.store.purge(rewrite=True)
        with other.read(self.org) as view:
            assert [record.memory.content for record in view.find(Record)] == ["note"]

    def test_copies_beside_the_store_are_dropped(self) -> None:
        self.store.drop_copies()
        assert self.store.drop_copies() == 0
