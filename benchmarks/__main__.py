"""`python -m benchmarks [NAME …]`: run the benchmarks, all or those named; each prints what it measured in this run."""

import importlib
import pkgutil
import sys
from pathlib import Path


def names() -> list[str]:
    """The benchmarks: the modules of this folder whose names do not begin with an underscore."""
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(m.name for m in modules if not m.ispkg and not m.name.startswith("_"))


def main(wanted: list[str]) -> int:
    """Run them one after the other, without names all of them."""
    known = names()
    for name in wanted:
        if name not in known:
            print(f"unknown benchmark '{name}'; known are {', '.join(known)}", file=sys.stderr)
            return 2
    for name in wanted or known:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
