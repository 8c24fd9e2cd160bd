"""Progress on standard error, and only where somebody is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

Report = Callable[[int, int, str], None]


@contextmanager
def progress(console: Console, *, keep: bool = False) -> Iterator[Report | None]:
    """Yield a `(done, total, label)` callable that moves a bar, or None where nobody sees it."""
    if not console.is_terminal:
        yield None
        return
    columns = (BarColumn(bar_width=32), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=not keep) as bars:
        task = bars.add_task("", total=None)

        def report(done: int, total: int, label: str) -> None:
            bars.update(task, completed=done, total=total, description=label.replace("[", "\\["))

        yield report


@contextmanager
def waiting(console: Console, what: str) -> Iterator[None]:
    """Say what is being waited for, and for how long, until it is there; nothing where nobody sees it."""
    if not console.is_terminal:
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        bars.add_task(what.replace("[", "\\["), total=None)
        yield
