"""Engrain beside other memory stores: the same texts, the same vectors, the same questions, in one run.

    pip install -r benchmarks/requirements.txt
    python benchmarks/peers.py locomo.jsonl.gz

FILE has the shape of LoCoMo or LongMemEval. Each system has a process of its own; one that is not installed or fails
is a row that says why. See benchmarks/README.md for what is compared and what that is worth.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from adapters import SYSTEMS

from engrain.evaluation.datasets import load
from engrain.evaluation.machine import describe_machine

MEASURING = Path(__file__).with_name("measuring.py")
SECONDS = 3600  # a system gets so long, and then is a row that says so
ALONE = {  # one thread for arithmetic, nothing sent
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "TOKENIZERS_PARALLELISM": "false",
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
}
TIMES = ("add_cpu_ms", "bulk_cpu_ms", "search_cpu_ms_p50", "search_cpu_ms_p95", "search_wall_ms_p50")
METRICS = ("recall@5", "recall@10", "recall@20", "any@10", "ndcg@10")
TITLES = (
    *("system", "memories", "R@5", "R@10", "R@20", "any@10", "nDCG@10"),
    *("add", "in bulk", "search", "search p95", "search by the clock", "import", "MB"),
)


def outcome(name: str, part: Mapping[str, Any], store_dir: str | None) -> dict[str, Any]:
    """Measure a system in a process of its own; what keeps it from being measured is `failed`."""
    system = SYSTEMS[name]
    try:
        found: dict[str, Any] = {"package": system.package, "version": version(system.package), "what": system.what}
    except PackageNotFoundError:
        return {"package": system.package, "what": system.what, "failed": "not installed"}
    with tempfile.TemporaryDirectory(prefix="peers-", dir=store_dir, ignore_cleanup_errors=True) as folder:
        told = json.dumps({**part, "system": name, "folder": folder})
        try:
            done = _run([str(MEASURING), told], folder)
            imported = _run(["-c", _importing(system.statement)], folder)
        except subprocess.TimeoutExpired:
            return {**found, "failed": f"not done after {SECONDS} seconds"}
        except subprocess.CalledProcessError as error:
            return {**found, "failed": (error.stderr.strip().splitlines() or ["no reason given"])[-1][:200]}
    return {**found, "import_cpu_ms": float(imported) * 1000, **json.loads(done)}


def _run(arguments: Sequence[str], folder: str) -> str:
    """Run Python and return the last line it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, *arguments],
        env={"HF_HUB_OFFLINE": "1", **environment, **ALONE, "MEM0_DIR": folder},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout.strip().splitlines()[-1]


def _importing(statement: str) -> str:
    return f"import time; start = time.process_time()\n{statement}\nprint(time.process_time() - start)"


def table(systems: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a Markdown table: a row for the file and one for the made-up scope of each system."""
    lines = [TITLES, ["---"] * len(TITLES)]
    for name, found in systems.items():
        title = f"{name} {found.get('version', '')}".strip()
        if "failed" in found:
            lines.append([title, f"not measured: {found['failed']}", *[""] * (len(TITLES) - 2)])
            continue
        metrics, last = found["file"]["metrics"], [f"{found['import_cpu_ms']:.0f}", _shown(found["made_up"])]
        shares = [f"{100 * metrics[metric][0]:.1f}" for metric in METRICS]
        lines.append([title, f"{found['file']['memories']:,}", *shares, *_times(found["file"]), "", ""])
        lines.append(["", f"{found['made_up']['memories']:,}", *[""] * len(METRICS), *_times(found["made_up"]), *last])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _times(figures: Mapping[str, Any]) -> list[str]:
    return ["" if figures[name] is None else f"{figures[name]:.2f}" for name in TIMES]


def _shown(figures: Mapping[str, Any]) -> str:
    return "" if figures["resident_mb"] is None else f"{figures['resident_mb']:.0f}"


def report(run: Mapping[str, Any]) -> str:
    """Return a run as text for people."""
    about = [f"{run['file']}, made-up memories from seed {run['seed']}; shares in percent, times in milliseconds"]
    for first in [found for found in run["systems"].values() if "failed" not in found][:1]:
        about.append(f"{first['file']['questions']:,} questions, embedder {first['embedder']}")
        about.append(f"MB: the whole process; {first['harness_mb'] or 0:.0f} are the harness and the embedder")
    about.append("Of the processor unless it says by the clock; add and in bulk are means, search is the median")
    loads = " to ".join(f"{load[0]:.1f}" for load in run["load"])
    machine = ", ".join(f"{name} {value}" for name, value in run["machine"].items())
    kinds = [f"{name}: {found['what']}" for name, found in run["systems"].items()]
    return "\n".join([*about, "", table(run["systems"]), "", *kinds, "", f"On {machine}; load {loads}"])


def main() -> None:
    """Measure the systems one after the other and print the table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="conversations with marked evidence")
    parser.add_argument("--limit", type=int, help="ask so many questions at most")
    parser.add_argument("--size", type=int, default=10_000, help="memories of the made-up scope")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--embedder", default="auto", help="the embedder of all, such as fastembed:MODEL")
    parser.add_argument("--systems", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS), metavar="NAME")
    parser.add_argument("--store-dir", help="a folder on a disk")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    try:
        next(load(chosen.file), None)
    except (OSError, ValueError) as problem:
        parser.error(str(problem))
    if chosen.size < 2 or (chosen.limit is not None and chosen.limit < 1):
        parser.error("--size is at least 2 and --limit at least 1")
    part = {name: getattr(chosen, name) for name in ("limit", "size", "seed", "embedder")}
    part["file"], before = str(Path(chosen.file).resolve()), _load()
    systems = {}
    for name in chosen.systems:
        print(f"{name} ...", file=sys.stderr)
        systems[name] = outcome(name, part, chosen.store_dir)
    run = {
        **part,
        "file": Path(chosen.file).name,
        "systems": systems,
        "machine": describe_machine(),
        "load": [before, _load()],
    }
    print(json.dumps(run) if chosen.json else report(run))


def _load() -> Sequence[float]:
    return os.getloadavg() if hasattr(os, "getloadavg") else (0.0, 0.0, 0.0)


if __name__ == "__main__":
    main()
