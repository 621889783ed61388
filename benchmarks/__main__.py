"""`python -m benchmarks [NAME …]`: run the benchmarks, all or those named; each prints what it measured in this run."""

import pkgutil
import subprocess
import sys
from pathlib import Path


def names() -> list[str]:
    """The benchmarks: the modules of this folder whose names do not begin with an underscore."""
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(m.name for m in modules if not m.ispkg and not m.name.startswith("_"))


def main(wanted: list[str]) -> int:
    """Run them one after the other, without names all of them; each as a process of its own, whose memory and settings
    are no other's. Says which failed, and goes on with the next."""
    known = names()
    for name in wanted:
        if name not in known:
            print(f"unknown benchmark '{name}'; known are {', '.join(known)}", file=sys.stderr)
            return 2
    failed = []
    for name in wanted or known:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
