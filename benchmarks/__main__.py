"""Run the command line: `python -m benchmarks`."""

from __future__ import annotations

from benchmarks.cli import main

main(prog_name="python -m benchmarks")
