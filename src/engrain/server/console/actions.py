"""What can be done to a memory from several pages: each asks, acts, says what happened, and can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from engrain.documents import plain
from engrain.model.audit import Forgotten, Receipt
from engrain.model.memory import Memory
from engrain.server.console.dialogs import Dialog, ask, dialog
from engrain.server.console.page import Page, as_json, button, choice, download, el, field, pairs

KINDS = {"semantic": "a fact", "episodic": "something that happened", "procedural": "how to do something"}
TIERS = {"A": "A authoritative", "B": "B operational", "C": "C support"}


def _excerpt(memory: Memory) -> str:
    words = " ".join(memory.content.split())
    return f"“{words[:140]}{'…' if len(words) > 140 else ''}”"


# ---------------------------------------------------------------------------------------------------------------- write


async def add(page: Page) -> None:
    """Remember a text."""
    with dialog(page, "Add a memory", "Remember") as made:
        field("What should be remembered?", "content", kind="textarea", rows=4, required=True)
        choice("It is", "kind", KINDS)
        field("True since", "valid_from", hint="A date or a time, such as 2025-04-05; empty is now.")
        field("Tags", "tags", hint="Separated by commas.")
    if (given := await made.answer()) is None:
        return
    found = await page.call(
        "remember",
        content=given["content"],
        kind=given["kind"],
        valid_from=given["valid_from"] or None,
        tags=_list(given["tags"]) or None,
        source_type="user_input",
    )
    words = {
        "created": "Remembered.",
        "noop": "This was known already.",
        "updated": "Remembered; it takes the place of an older memory.",
        "corrected": "Remembered; it corrects an older memory.",
        "pending": "Remembered; it contradicts another memory and waits in Review.",
        "quarantined": "It looks like an attack and waits in Review.",
    }
    undo = None if found.status == "noop" else partial(page.call, "forget", memory_id=found.id, reason="undone")
    await page.done(words.get(found.status, found.status), undo)


def _list(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


async def correct(page: Page, memory: Memory) -> None:
    """Put a memory right that was written wrongly."""
    with dialog(page, "Correct this memory", "Save") as made:
        el(
            "p",
            "For what was written wrongly; what it was before stays in its history. If the world changed, replace it.",
        )
        field("Text", "content", memory.content, kind="textarea", rows=5, required=True)
        with el("div", "", "grid2"):
            field("Importance, 0 to 1", "importance", f"{memory.importance:g}", kind="number", min=0, max=1, step="any")
            field("Confidence, 0 to 1", "confidence", f"{memory.confidence:g}", kind="number", min=0, max=1, step="any")
            field("True since", "valid_from", memory.valid_from.isoformat())
            field("True until", "valid_until", "" if memory.valid_until is None else memory.valid_until.isoformat())
            field("Tags", "tags", ", ".join(memory.tags))
            field("Domain", "domain", memory.domain)
            choice("Tier", "tier", TIERS, memory.tier)
            field("Keep for days", "ttl", hint="From when it was recorded; empty is for as long as its kind is kept.")
        field("Reason, for the audit trail", "reason", maxlength=500)
    if (given := await made.answer()) is None:
        return
    before, after = _changed(memory, given)
    if not after:
        page.toast("Nothing was changed.")
        return
    found = await page.call(
        "update", memory_id=memory.id, expected_version=memory.version, reason=given["reason"] or None, **after
    )
    if found.id != memory.id:
        page.toast("The change waits for a verdict in Review.")
    else:
        await page.done("Corrected.", partial(page.call, "update", memory_id=memory.id, reason="undone", **before))


def _changed(memory: Memory, given: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields that a form changes, as they were and as they shall be."""
    text = {"content": memory.content, "domain": memory.domain, "tier": memory.tier}
    numbers = {"importance": memory.importance, "confidence": memory.confidence}
    before: dict[str, Any] = {name: value for name, value in text.items() if given[name].replace("\r\n", "\n") != value}
    after: dict[str, Any] = {name: given[name].replace("\r\n", "\n") for name in before}
    for name, value in numbers.items():
        if given[name] != f"{value:g}":
            before[name], after[name] = value, float(given[name])
    if _list(given["tags"]) != list(memory.tags):
        before["tags"], after["tags"] = list(memory.tags), _list(given["tags"])
    if given["valid_from"] != memory.valid_from.isoformat():
        before["valid_from"], after["valid_from"] = memory.valid_from, given["valid_from"]
    if given["valid_until"] != ("" if memory.valid_until is None else memory.valid_until.isoformat()):
        before["valid_until"], after["valid_until"] = memory.valid_until or None, given["valid_until"]
    if given["ttl"]:
        after["ttl"] = float(given["ttl"]) * 86_400
    return before, after


async def replace(page: Page, memory: Memory) -> None:
    """Let a new text take the place of a memory, because the world changed."""
    with dialog(page, "Replace this memory", "Replace") as made:
        el("p", "For when the world changed: the old text stays true for its own time, the new one from its date on.")
        el("p", _excerpt(memory), "muted")
        field("What is true now?", "content", memory.content, kind="textarea", rows=4, required=True)
        field("True since", "valid_from", hint="A date or a time; empty is now.")
        field("Reason, for the audit trail", "reason", maxlength=500)
    if (given := await made.answer()) is None:
        return
    found = await page.call(
        "supersede",
        old_id=memory.id,
        content=given["content"],
        valid_from=given["valid_from"] or None,
        reason=given["reason"] or None,
    )
    await page.done(
        "Replaced.", partial(page.call, "reject", memory_id=found.id, reason="undone") if page.may("reject") else None
    )


async def link(page: Page, memory: Memory) -> None:
    """Link a memory to another."""
    relations = {
        each: each.replace("_", " ") for each in ("related", "causes", "contradicts", "supports", "derived_from")
    }
    with dialog(page, "Link to another memory", "Link") as made:
        field("Id of the other memory", "to", required=True, placeholder="mem_…")
        choice("Relation", "relation", relations)
    if (given := await made.answer()) is None:
        return
    ends: dict[str, Any] = {"from_id": memory.id, "to_id": given["to"].strip(), "relation": given["relation"]}
    made_now = await page.call("link", **ends)
    undo = partial(page.call, "unlink", **ends) if made_now and given["relation"] != "derived_from" else None
    await page.done("Linked." if made_now else "There is such a link already.", undo)


async def promote(page: Page, memory: Memory) -> None:
    """Make a memory one of a more lasting kind."""

    def kinds() -> None:
        choice("It becomes", "to", {name: f"{name}, {what}" for name, what in KINDS.items()})

    given = await ask(
        page, "Promote this memory", "It keeps its id; this is not undone.", verb="Promote", reason=False, more=kinds
    )
    if given is not None:
        await page.call("promote", memory_id=memory.id, to=given["to"], reason=given["reason"] or None)
        await page.done("Promoted.")


async def pin(page: Page, memories: Sequence[Memory]) -> None:
    """Pin memories, or unpin them when all of them are pinned."""
    name, back = ("unpin", "pin") if all(each.pinned for each in memories) else ("pin", "unpin")
    changed = [each for each in memories if each.pinned == (name == "unpin")]
    for each in changed:
        await page.call(name, memory_id=each.id)

    async def undo() -> None:
        for each in changed:
            await page.call(back, memory_id=each.id)

    await page.done(f"{len(changed)} {'unpinned' if name == 'unpin' else 'pinned'}.", undo)


# --------------------------------------------------------------------------------------------------------------- forget


async def forget(page: Page, memories: Sequence[Memory]) -> None:
    """Hide memories from every read."""
    count = len(memories)
    line = "No question finds it any more; history and the audit trail keep it, and it can be brought back."
    given = await ask(
        page,
        f"Forget {count} memories?" if count > 1 else "Forget this memory?",
        *(_excerpt(each) for each in memories[:3]),
        line if count == 1 else line.replace("it ", "them ").replace("keep them", "keep them", 1),
        verb="Forget",
        reason=False,
    )
    if given is None:
        return
    for each in memories:
        await page.call("forget", memory_id=each.id, reason=given["reason"] or None)

    async def undo() -> None:
        for each in memories:
            await page.call("reinstate", memory_id=each.id, reason="undone")

    await page.done(f"{count} forgotten.", undo if page.may("reinstate") else None)


async def reinstate(page: Page, memory: Memory) -> None:
    """Bring back a memory that is hidden, archived or expired."""
    await page.call("reinstate", memory_id=memory.id)
    await page.done("Brought back.", partial(page.call, "forget", memory_id=memory.id, reason="undone"))


async def erase(page: Page, memories: Sequence[Memory]) -> bool:
    """Erase memories for good, and show the receipts."""
    count = len(memories)
    given = await ask(
        page,
        f"Erase {count} memories for good?" if count > 1 else "Erase this memory for good?",
        *(_excerpt(each) for each in memories[:3]),
        "Every byte is removed: the text, what it came from, and what derives from it. This cannot be undone.",
        "You get a receipt that proves it.",
        verb="Erase",
        danger=True,
        typed="erase",
        reason=False,
    )
    if given is None:
        return False
    receipts = []
    for each in memories:
        found: Forgotten = await page.call("forget", memory_id=each.id, hard=True, reason=given["reason"] or None)
        if found.receipt is not None:
            receipts.append(found.receipt)
    await page.reload()
    await show_receipts(page, receipts)
    return True


async def show_receipts(page: Page, receipts: Sequence[Receipt]) -> None:
    """Show receipts of erasures, and let them be saved."""
    made = Dialog(page, "Receipt" if len(receipts) == 1 else f"{len(receipts)} receipts")
    with made.form:
        if not receipts:
            el("p", "Nothing was there to erase.")
        for receipt in receipts[:5]:
            proof = "the files were searched, nothing was found" if receipt.verified else "; ".join(receipt.notes)
            pairs(
                (
                    ("Receipt", receipt.id),
                    ("Erased at", lambda receipt=receipt: page.when(receipt.at, precise=True)),
                    ("Status", f"{receipt.status}: {proof}"),
                    ("Memories", ", ".join(receipt.memory_ids[:5]) + ("…" if len(receipt.memory_ids) > 5 else "")),
                    ("Removed", ", ".join(f"{count:,} {place}" for place, count in receipt.removed.items())),
                    ("Out of reach", "; ".join(receipt.out_of_reach)),
                )
            )
        el("p", "It stays in Trust.", "muted")
        with el("div", "", "actions end"):
            content = as_json(plain(list(receipts)))
            name = f"receipt-{receipts[0].id}.json" if receipts else "receipt.json"
            button("Save receipt", lambda: download(content, name), picture="download")
            button("Done", made.cancel, "primary")
    await made.answer()


# ------------------------------------------------------------------------------------------------------------- verdicts


async def admit(page: Page, memories: Sequence[Memory | str]) -> None:
    """Admit what waits; a text that looks like an attack needs a reason."""
    waiting = [each for each in memories if isinstance(each, Memory) and each.status.value == "quarantined"]
    force = bool(waiting) and page.may("validate", "force")
    warning = "It looks like an attack, so a reason is needed." if force else ""
    given = await ask(
        page,
        f"Admit {len(memories)}?" if len(memories) > 1 else "Admit this?",
        *(_excerpt(each) for each in memories[:3] if isinstance(each, Memory)),
        f"Questions find it from now on, and it takes the place of what it contradicts. {warning}",
        verb="Admit",
        reason=force,
    )
    if given is None:
        return
    ids = [each.id if isinstance(each, Memory) else each for each in memories]
    for each in ids:
        await page.call("validate", memory_id=each, reason=given["reason"] or None, force=True if force else None)
    hidden = {each.id for each in waiting}

    async def undo() -> None:
        for each in ids:
            await page.call("forget" if each in hidden else "reject", memory_id=each, reason="undone")

    await page.done(f"{len(ids)} admitted.", undo)


async def reject(page: Page, memories: Sequence[Memory | str]) -> None:
    """Refuse what waits."""
    given = await ask(
        page,
        f"Reject {len(memories)}?" if len(memories) > 1 else "Reject this?",
        *(_excerpt(each) for each in memories[:3] if isinstance(each, Memory)),
        "It is put away, and no question finds it.",
        verb="Reject",
        reason=False,
    )
    if given is None:
        return
    for each in memories:
        memory_id = each.id if isinstance(each, Memory) else each
        await page.call("reject", memory_id=memory_id, reason=given["reason"] or None)

    async def undo() -> None:
        for each in memories:
            if isinstance(each, Memory):
                await page.call("reinstate", memory_id=each.id, reason="undone")

    undoable = all(isinstance(each, Memory) for each in memories)
    await page.done(f"{len(memories)} rejected.", undo if undoable else None)
