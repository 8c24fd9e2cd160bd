"""Queued work and what sweeps did, for people."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from engrain.interfaces.tables import entry, one_line, show_fields, show_more
from engrain.model.memory import Job
from engrain.model.results import Page, Sweep
from engrain.text import visible


def show_sweep(console: Console, swept: Sweep) -> None:
    """Print what a sweep did."""
    would = "would be " if swept.dry_run else ""
    show_fields(
        console,
        (
            (f"{would}expired", f"{swept.expired:,}"),
            (f"{would}archived", f"{swept.archived:,}"),
            (f"sessions {would}ended", f"{swept.sessions_ended:,}"),
            (f"jobs {would}done", f"{swept.jobs_done:,}"),
            ("dead letters", f"{swept.dead:,}" + (", see: engrain jobs --state dead" if swept.dead else "")),
        ),
    )


def show_jobs(console: Console, jobs: Page[Job]) -> None:
    """Print queued work, and how to get the next page."""
    for job in jobs:
        show_job(console, job)
    if not jobs:
        console.print("nothing is queued")
    show_more(console, jobs)


def show_job(console: Console, job: Job) -> None:
    """Print one job."""
    failed = f", failed {job.attempts} times: {visible(job.error)}" if job.error else ""
    said = f"{job.kind} {job.state.value}, due {job.run_at:%Y-%m-%d %H:%M}, for {job.memory_id}{failed}"
    entry(console, Text(f"{visible(job.id)}  ", style="dim"), Text(one_line(said)))
