"""What it costs to erase for good, and to hold a whole store to its audit trail, in stores of several sizes.

    python benchmarks/erasure.py --sizes 10000 100000

CPU time of this process. Each text has 14 words of a vocabulary of 8,000.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engrain import MemoryManager, Settings


def cpu(action: Callable[[], object]) -> float:
    """Return the seconds of CPU that a call takes."""
    start = time.process_time()
    action()
    return time.process_time() - start


def measure(size: int, folder: Path) -> None:
    """Fill a store, and print what each call costs."""
    chance = random.Random(1)
    words = [f"w{chance.randrange(10**6)}{chr(97 + n % 26)}x" for n in range(8000)]
    with MemoryManager(folder / "memory.db", user="bo", settings=Settings(worker="none")) as m:
        m.remember_many({"content": " ".join(chance.choices(words, k=14))} for _ in range(size))
        ids = [m.remember(f"Ana told of Zanzibar{n} {' '.join(chance.choices(words, k=6))}").id for n in range(3)]
        alone = min(cpu(lambda memory_id=memory_id: m.forget(memory_id, hard=True)) for memory_id in ids)  # type: ignore[misc]
        held, chain = cpu(m.audit_integrity), cpu(m.verify_audit)
        megabytes = (folder / "memory.db").stat().st_size / 1e6
        everything = cpu(lambda: m.forget_all(user="bo", hard=True))
        verified = all(receipt.verified for receipt in m.receipts())
    print(
        f"{size:>9,} memories, {megabytes:,.0f} MB: one erased {alone:.2f} s, audit_integrity {held:.1f} s,"
        f" verify_audit {chain:.2f} s, all erased {1000 * everything / size:.1f} ms each, verified: {verified}"
    )


def main() -> None:
    """Measure each size in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    for size in parser.parse_args().sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder))


if __name__ == "__main__":
    main()
