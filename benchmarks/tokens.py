"""Compares the offline tokenizer with real ones, text by text: how many tokens each counts, and how far off it is.

Run it as `python benchmarks/tokens.py --tokenizer tiktoken:o200k_base FILE ...`, on texts of your own or on those
of the tests. The error is that against the mean of all tokenizers named.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from engrain.embeddings.tokenizers import resolve_tokenizer
from engrain.text import OfflineTokenizer

SAMPLES = Path(__file__).parent.parent / "tests" / "ground" / "samples"


def main() -> None:
    """Print a table of counts, as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tokenizer", action="append", required=True, help="as MemoryManager takes it; may be repeated"
    )
    parser.add_argument("files", nargs="*", type=Path, default=sorted(SAMPLES.glob("*.txt")))
    given = parser.parse_args()
    offline, others = OfflineTokenizer(), [resolve_tokenizer(name) for name in given.tokenizer]
    print("| text | offline |", *(f"{Path(name.partition(':')[2]).stem} |" for name in given.tokenizer), "error |")
    print("|---|" + "---:|" * (len(others) + 2))
    characters = 0
    for path in given.files:
        text = path.read_text(encoding="utf-8")
        counted, true = offline.count_tokens(text), [tokens.count_tokens(text) for tokens in others]
        error = counted * len(true) / sum(true) - 1
        print(f"| {path.stem.replace('_', ', ')} | {counted} |", *(f"{count} |" for count in true), f"{error:+.0%} |")
        characters += len(text)
    began = time.process_time()
    for path in given.files:
        offline.count_tokens(path.read_text(encoding="utf-8"))
    print(f"\nOffline: {(time.process_time() - began) / characters * 1e9:.0f} ns of CPU per character.")


if __name__ == "__main__":
    main()
