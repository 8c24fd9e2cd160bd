"""Run one campaign: `python -m campaigns NAME [options]`; without a name, list them."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

_PARTS = ("__init__", "__main__", "acts", "remote", "report", "shapes", "soundness")
NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in _PARTS)


def main() -> int:
    """Run the campaign that is named and return its exit code."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name not in NAMES:
        print(f"usage: python -m campaigns NAME [options]\n\nNAME is one of {', '.join(NAMES)}")
        return 0 if name in ("-h", "--help") else 2
    sys.argv = [f"python -m campaigns {name}", *sys.argv[2:]]
    code: int = import_module(f"campaigns.{name}").main()
    return code


if __name__ == "__main__":
    sys.exit(main())
