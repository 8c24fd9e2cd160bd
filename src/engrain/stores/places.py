"""Who stands beside whom: the rows of a session in the order of their positions."""

from __future__ import annotations

from engrain.arrays import Ints, np

_SMALL = 4096  # rows of a namespace whose neighbours are all kept at hand


class _Sorted:
    """Keys in order and the rows they stand for."""

    def __init__(self, keys: Ints, first: int = 0) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._rows = keys[order], order + first
        held = self._keys[np.searchsorted(self._keys, 0) :]
        self.distinct = bool((held[1:] != held[:-1]).all())

    def find(self, keys: Ints) -> Ints:
        if not len(self._keys):
            return np.full(keys.shape, -1, np.int64)
        at = np.minimum(np.searchsorted(self._keys, keys, side="right") - 1, len(self._keys) - 1)
        return np.asarray(np.where((at >= 0) & (self._keys[at] == keys), self._rows[at], -1), np.int64)


class Places:
    """Finds the row of a (session, position): most rows in one sorted table, the newest in a small one beside it.

    In a small namespace the neighbours of all rows are kept. Rows may only be added: for other changes take a new one.
    """

    def __init__(self) -> None:
        self._size = self._settled = 0
        self._old = self._new = _Sorted(np.zeros(0, np.int64))
        self._distinct = True  # whether no two rows of a session are at one position
        self._table: Ints | None = None

    def beside(self, session: Ints, position: Ints, places: Ints, span: int) -> Ints:
        """Return where the rows at positions -span..-1 and 1..span of each row's session stand, -1 where none is."""
        if len(session) > _SMALL:
            return self._beside(session, position, places, span)
        if self._table is None or self._table.shape != (len(session), 2 * span):
            self._table = self._beside(session, position, np.arange(len(session)), span)
        return self._table.take(places, axis=0)

    def _beside(self, session: Ints, position: Ints, places: Ints, span: int) -> Ints:
        self._extend(session, position)
        steps = np.array([step for step in range(-span, span + 1) if step], np.int64)
        mine, at = session[places].astype(np.int64)[:, None], position[places][:, None]
        around = at + steps
        wanted = np.where((mine < 0) | (at < 0) | (around < 0), -1, (mine << 32) | around)
        if not self._distinct:  # several at one position: the newest counts
            return np.asarray(np.where(wanted >= 0, self._find(wanted), -1), np.int64)
        found = np.clip(places[:, None] + steps, 0, len(session) - 1)  # mostly a session's rows stand side by side
        found[(session[found] != mine) | (position[found] != around) | (wanted < 0)] = -1
        elsewhere = (found < 0) & (wanted >= 0)
        found[elsewhere] = self._find(wanted[elsewhere])
        return np.asarray(found)

    def _extend(self, session: Ints, position: Ints) -> None:
        size = len(session)
        if size == self._size:
            return
        if size - self._settled > 64 + self._settled // 8:
            self._old, self._new, self._settled = _Sorted(_keys(session, position)), _Sorted(position[:0]), size
            self._distinct = self._old.distinct
        else:
            keys = _keys(session[self._settled :], position[self._settled :])
            self._new = _Sorted(keys, self._settled)
            alone = not (self._old.find(keys[keys >= 0]) >= 0).any()
            self._distinct = self._old.distinct and self._new.distinct and alone
        self._size = size

    def _find(self, keys: Ints) -> Ints:
        newest = self._new.find(keys)
        return np.asarray(np.where(newest >= 0, newest, self._old.find(keys)), np.int64)


def _keys(session: Ints, position: Ints) -> Ints:
    return np.asarray(
        np.where((session < 0) | (position < 0), -1, (session.astype(np.int64) << 32) | position), np.int64
    )
