"""The keys of a server at the front door: who may come in from outside, as whom, and what they may do there."""

from __future__ import annotations

from engrain import keys
from engrain.manager.view import View
from engrain.model.audit import Key, Role
from engrain.model.memory import Scope


class Keys:
    """The keys by which programs come in through a server: `m.keys`.

    A view sees, makes and revokes only keys that open no more than it does: that of a user those of the user, that of
    an org all of the org.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def create(self, role: Role | str, *, user: str | None = None, agent: str | None = None, name: str = "") -> Key:
        """Make a key and return it with its secret, which is shown this once: only its SHA-256 is kept.

        The key opens the memory of the view's org, of `user` and `agent` where they are given or the view has them; to
        name another than the view's own is a `ValueError`. `role` is `read`, `write`, `review` or `admin`, and each may
        do what those before it may. `name` is your own word for it, of at most 256 characters.
        """
        return keys.create(self._view._engine, self._view.scope, role, user=user, agent=agent, name=name)

    def list(self) -> list[Key]:
        """Return the keys of the view, newest first, those included that are revoked; none shows its secret."""
        return keys.listed(self._view._engine, self._view.scope)

    def revoke(self, key_id: str) -> bool:
        """Let a key open nothing from now on, for good; False when there is none of that id, or it is revoked already.

        A foreign one looks like one that is unknown.
        """
        return keys.revoke(self._view._engine, self._view.scope, key_id)

    def recognise(self, secret: str) -> Key | None:
        """Return the live key of a secret, whatever its org; None for one that is unknown, malformed or revoked.

        It is what a server asks with what a caller presented, from a view without user, agent and session, else it is a
        `ValueError`. It takes one look into the store.
        """
        self._of_the_server("recognise")
        return keys.recognised(self._view._engine, secret)

    def exist(self) -> bool:
        """Say whether the store has ever had a key, of any org, those included that were revoked or erased.

        A server without keys is open to its own machine; that one is gone again must not open it anew. Like
        `recognise` it needs a view without user, agent and session.
        """
        self._of_the_server("exist")
        return keys.exist(self._view._engine)

    def _of_the_server(self, method: str) -> None:
        if self._view.scope != Scope(self._view.scope.org):
            raise ValueError(
                f"keys.{method} needs a view without user, agent and session: call it on the manager itself"
            )


class Keyed(View):
    """The methods about who may come in from outside."""

    @property
    def keys(self) -> Keys:
        """The keys of a server over this store."""
        return Keys(self)
