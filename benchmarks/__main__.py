"""`python -m benchmarks [NAME …]`: run the benchmarks, all or those named; each prints what it measured in this run."""

import importlib
import pkgutil
import sys
from pathlib import Path

_NEEDS_FOOTAGE = {"find", "read"}


def names() -> list[str]:
    """The benchmarks: the modules of this folder that define `main`."""
    return sorted(m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]) if not m.name.startswith("_"))


def main(wanted: list[str]) -> int:
    """Run them one after the other; without names, all that need no footage of their own."""
    known = names()
    for name in wanted:
        if name not in known:
            print(f"unknown benchmark '{name}'; known are {', '.join(known)}", file=sys.stderr)
            return 2
    for name in wanted or [name for name in known if name not in _NEEDS_FOOTAGE]:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
