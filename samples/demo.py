"""The demo: watch the sample film, write its record, draw the final position, compare the record with the truth."""

import subprocess
import sys
from pathlib import Path

from samples.truth import compare

_HERE = Path(__file__).resolve().parent
_OUT = _HERE.parent / "out"


def run(*words: str) -> None:
    """Run one `storisende` command; its failure ends the demo."""
    done = subprocess.run([sys.executable, "-m", "companion", *words], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> int:
    """Exit status 0 when the record is exact."""
    _OUT.mkdir(exist_ok=True)
    record, events, picture = _OUT / "sample-record.json", _OUT / "sample-events.jsonl", _OUT / "sample-final.svg"
    material = ["--board", "hexhex-4", "--men", "red,white", "--disks", "beige,dark"]
    run("watch", str(_HERE / "sample.mp4"), *material, "--record", str(record), "--events", str(events))
    run("show", str(record), "--svg", str(picture))
    result = compare(_HERE / "sample.json", record)
    print(f"\nrecord          {record}\nevents          {events}\nfinal position  {picture}")
    if not result.exact:
        print(f"The record is NOT exact: {result.right_from_start} of {result.plies} plies are right from the start.")
        return 1
    print(f"The record is exact: the opening and all {result.plies} plies agree with the film's truth.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
