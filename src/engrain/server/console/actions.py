"""Actions on a memory shared by several pages: each asks, acts, shows a message, and can be undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from engrain.errors import Conflict
from engrain.model.audit import Forgotten, Receipt
from engrain.model.memory import Memory
from engrain.server.console.elements import button, details, download, el, listed
from engrain.server.console.gate import WORDS
from engrain.server.console.page import CLEARED, Page
from engrain.server.console.parts import text
from engrain.text import number_of, shorten
from engrain.views import suspected

_FROM_0_TO_1, _TIMES = ("importance", "confidence"), ("valid_from", "valid_until")
_READ: dict[str, Callable[[str], Any]] = dict.fromkeys(_FROM_0_TO_1, float)
_READ |= {"tags": listed, "ttl": lambda days: float(days) * 86_400}
_REMEMBERED = WORDS["remembered"]


def _read(name: str, value: str) -> Any:
    """Return the value that is written in a field; an empty one of a time clears it."""
    return _READ.get(name, str)(value) if value or name in ("content", "tags", "domain") else CLEARED


def _excerpt(memory: Memory) -> str:
    return f"“{shorten(memory.content, 140)}”"


def _ids(memories: Sequence[Memory | str]) -> list[str]:
    return [each.id if isinstance(each, Memory) else each for each in memories]


async def _each(page: Page, name: str, ids: Sequence[str], **given: Any) -> None:
    for memory_id in ids:
        await page.call(name, memory_id=memory_id, **given)


def undoing(page: Page, name: str, *ids: str, **given: Any) -> Callable[[], Awaitable[None]] | None:
    """Return an undo function that calls another operation on memories, None if the role does not cover it."""
    return partial(_each, page, name, ids, reason="undone", **given) if name and page.may(name) else None


async def add(page: Page) -> None:
    """Remember a text."""
    if (given := await page.ask("Add a memory", verb="Remember", add={})) is None:
        return
    values: dict[str, Any] = {**given, "valid_from": given["valid_from"] or None, "tags": listed(given["tags"]) or None}
    found = await page.call("remember", **values, source_type="user_input")
    back = {"noop": "", "updated": "reject", "corrected": "reject"}.get(found.status, "forget")  # which reopens others
    await page.done(_REMEMBERED.get(found.status, found.status), undoing(page, back, found.id), found.id)


async def correct(page: Page, memory: Memory) -> None:
    """Correct a memory that was written wrongly; after a concurrent edit, beside its present text."""
    is_old = page.refused is not None and isinstance(page.refused[0], Conflict)
    if is_old:
        memory = await page.call("get", memory_id=memory.id) or memory
    was: dict[str, str] = {name: f"{getattr(memory, name):g}" for name in _FROM_0_TO_1} | {"ttl": "", "reason": ""}
    was |= {name: getattr(memory, name) for name in ("content", "domain", "tier")} | {"tags": ", ".join(memory.tags)}
    was |= {name: page.time(getattr(memory, name)) for name in _TIMES}
    with page.dialog("Correct this memory", "Save") as made:
        el("p", "For what was written wrongly. The old text stays in its history.", "muted")
        if is_old:
            el("p", "What it says now:", "strong")
            text(memory.content)
        page.fields("correct", was)
        page.fields("reason", was)
        with details("More"), el("div", "", "grid2"):
            page.fields("more", was)
    if (given := await made.answer(was)) is None:
        return
    reason = given.get("reason")
    after = {name: _read(name, value) for name, value in given.items() if name != "reason"}
    if not after:
        page.toast("Nothing was changed.")
        return
    back = {name: (getattr(memory, name) or CLEARED) if name in _TIMES else _read(name, was[name]) for name in after}
    if "ttl" in after and memory.expires_at is not None:
        back["ttl"] = (memory.expires_at - memory.recorded_at).total_seconds()
    found = await page.call("update", memory_id=memory.id, expected_version=memory.version, reason=reason, **after)
    if found.id != memory.id:
        page.toast("The change waits for a verdict in Review.")
    else:
        now = await _restate(page, memory, found)
        if now is not found and (fact := memory.fact) is not None:
            back["fact"] = (fact.subject, fact.predicate, fact.object)
        undo = undoing(page, "update", memory.id, expected_version=now.version, **back)
        await page.done("Corrected.", undo, memory.id)


async def replace(page: Page, memory: Memory) -> None:
    """Replace a memory by a new text, because the world changed."""
    line = "For when the world changed. The old text stays true for its own time, the new one from its date on."
    forms = {"replace": {"content": memory.content}, "reason": dict[str, str]()}
    if (given := await page.ask("Replace this memory", line, _excerpt(memory), verb="Replace", **forms)) is not None:
        values: dict[str, Any] = {name: value or None for name, value in given.items()}
        found = await page.call("supersede", old_id=memory.id, source_type="user_input", **values)
        await _restate(page, memory, await page.call("get", memory_id=found.id))
        done = "Replaced." if found.status == "updated" else _REMEMBERED.get(found.status, found.status)

        async def undo() -> None:
            await page.call("reject", memory_id=found.id, reason="undone")
            page.put({"id": memory.id})

        if found.status == "updated":
            page.put({"id": found.id}, push=True)
        await page.done(done, undo if page.may("reject") else None, memory.id, found.id)


async def _restate(page: Page, before: Memory, after: Memory) -> Memory:
    """Ask for the value of a fact that is not read in a new text, and return the memory as it is then."""
    fact = before.fact
    if fact is None or after.fact not in (None, fact) or fact.object in after.content:
        return after
    what = f"{fact.subject} {fact.predicate.replace('_', ' ')}"
    stated = f"It stated “{what} {fact.object}”."
    if (given := await page.ask("And the fact?", stated, verb="Save", restate={"what": what})) is None:
        return after
    now = (fact.subject, fact.predicate, given["object"].strip())
    found: Memory = await page.call("update", memory_id=after.id, fact=now if now[2] else CLEARED)
    return found


async def link(page: Page, memory: Memory) -> None:
    """Link a memory to another."""
    if (given := await page.ask("Link to another memory", verb="Link", link={})) is None:
        return
    ends: dict[str, Any] = {"from_id": memory.id, "to_id": given["to"].strip(), "relation": given["relation"]}
    is_new = await page.call("link", **ends)
    undo = partial(page.call, "unlink", **ends) if is_new and given["relation"] != "derived_from" else None
    await page.done("Linked." if is_new else "There is such a link already.", undo)


async def promote(page: Page, memory: Memory) -> None:
    """Make a memory one of a more lasting kind."""
    line = "It keeps its id; this cannot be undone."
    if (given := await page.ask("Promote this memory", line, verb="Promote", promote={}, reason={})) is not None:
        await page.call("promote", memory_id=memory.id, to=given["to"], reason=given["reason"] or None)
        await page.done("Promoted. This cannot be undone.")


async def pin(page: Page, memories: Sequence[Memory]) -> None:
    """Pin memories, or unpin them when all of them are pinned."""
    name, back = ("unpin", "pin") if all(each.pinned for each in memories) else ("pin", "unpin")
    changed = [each.id for each in memories if each.pinned == (name == "unpin")]
    await _each(page, name, changed)
    await page.done(f"{len(changed)} {name}ned.", partial(_each, page, back, changed), *changed)


async def _asked(
    page: Page, verb: str, memories: Sequence[Memory | str], *lines: str, end: str = "", form: str = "reason"
) -> str | None:
    """Ask whether something is done to memories, and return the reason, None when it is not."""
    texts = [each for each in memories if isinstance(each, Memory)]
    what = "this memory" if len(memories) == 1 else f"{len(memories)} memories"
    more = [f"… and {len(texts) - 3:,} more."] if len(texts) > 3 else []
    shown = [*map(_excerpt, texts[:3]), *more, *filter(None, lines)]
    given = await page.ask(f"{verb} {what}{end}?", *shown, verb=verb, **{form: {}})
    return None if given is None else given["reason"]


async def erase(page: Page, memories: Sequence[Memory]) -> None:
    """Erase memories for good, and show the receipts."""
    line = "Every byte is removed: the text, what it came from, and what derives from it. This cannot be undone."
    if others := len({at.memory_id for each in memories for at in each.links if at.relation == "derived_from"}):
        line += f" It came from {number_of(others, 'memory', 'memories')}."
    proof = "You get a receipt that proves it."
    reason = await _asked(page, "Erase", memories, line, proof, end=" for good", form="erase")
    if reason is None:
        return
    receipts = []
    for each in memories:
        found: Forgotten = await page.call("forget", memory_id=each.id, hard=True, reason=reason or None)
        receipts += [found.receipt] if found.receipt is not None else []
    await page.reload()
    await show_receipts(page, receipts)


async def show_receipts(page: Page, receipts: Sequence[Receipt]) -> None:
    """Show receipts of erasures, and let them be saved."""
    with page.dialog("Receipt" if len(receipts) == 1 else f"{len(receipts)} receipts") as made:
        if not receipts:
            el("p", "Nothing was there to erase.")
        for receipt in receipts[:5]:
            proof = "the files were searched, nothing was found" if receipt.verified else "; ".join(receipt.notes)
            ids, removed = receipt.memory_ids, receipt.removed.items()
            none_left = [each for each in receipt.out_of_reach if each.startswith("no ")]
            rows: dict[str, object] = {
                "Receipt": receipt.id,
                "Erased at": partial(page.when, receipt.at, precise=True),
                "Status": f"{receipt.status}: {proof}",
                "Memories": ", ".join(ids[:5]) + ("…" if len(ids) > 5 else ""),
                "Removed": ", ".join(f"{place} {count:,}" for place, count in removed),
                "Copies": "; ".join(none_left),
                "Out of reach": "; ".join(each for each in receipt.out_of_reach if each not in none_left),
            }
            page.pairs(rows)
        el("p", "It stays in Trust.", "muted")
        name = f"receipt-{receipts[0].id}.json" if receipts else "receipt.json"
        button("Save receipt", partial(download, list(receipts), name), picture="download")
    await made.answer()


async def admit(page: Page, memories: Sequence[Memory | str]) -> None:
    """Admit pending memories; a suspected injection needs a reason. Only merges can be pending again afterwards."""
    merges = [each for each in memories if isinstance(each, str)]
    hidden = [each for each in memories if isinstance(each, Memory) and each.status.value == "quarantined"]
    force = any(map(suspected, hidden)) and page.may("validate", "force")
    warning = "It looks like an attack, so a reason is needed." if force else ""
    contested = "" if len(hidden) == len(memories) else " It takes the place of what it contradicts."
    back = undoing(page, "reinstate", *merges) if len(merges) == len(memories) else None
    for_good = "" if back else "This cannot be undone: it does not wait again."
    lines = f"Questions find it from now on.{contested}", for_good, warning
    if (reason := await _asked(page, "Admit", memories, *lines, form="why" if force else "reason")) is None:
        return
    await _each(page, "validate", _ids(memories), reason=reason or None, force=force or None)
    await page.done(f"{len(memories)} admitted.{'' if back else ' This cannot be undone.'}", back)


async def _move(verb: str, line: str, done: str, page: Page, memories: Sequence[Memory | str]) -> None:
    if (reason := await _asked(page, verb, memories, line)) is not None:
        ids, back = _ids(memories), "" if verb == "Bring back" else "reinstate"
        await _each(page, verb.lower() if back else "reinstate", ids, reason=reason or None)
        await page.done(f"{len(ids)} {done}.", undoing(page, back, *ids), *ids)


_FORGET = "No question finds this any more. History and the audit trail keep it, and it can be brought back."
Act = Callable[[Page, Sequence[Memory | str]], Coroutine[Any, Any, None]]
forget: Act = partial(_move, "Forget", _FORGET, "forgotten")
reject: Act = partial(_move, "Reject", "It is put away, and no question finds it.", "rejected")
bring_back: Act = partial(_move, "Bring back", "Questions find it from now on.", "brought back")
