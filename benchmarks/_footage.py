"""Where benchmarks find footage, and where they write their tables."""

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("STORISENDE_FOOTAGE", _ROOT.parent / "shared" / "footage"))
SAMPLE = _ROOT / "samples" / "sample.mp4"
#: Asks for the tables, which are committed, to be written anew.
TABLES = "--tables"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a benchmark of footage was asked for: folders of labelled stills instead of the shared ones, tables."""

    folders: tuple[Path, ...]
    tables: bool

    def stills(self) -> list[Path]:
        """The truths (`.json`) of stills, a picture (`.jpg`) beside each; says so where there are none."""
        folders = self.folders or (SHARED / "stills",)
        truths = [path for folder in folders for path in sorted(folder.glob("*.json"))]
        if not truths:
            print(
                f"SKIPPED: no stills in {', '.join(map(str, folders))}; set STORISENDE_FOOTAGE to the footage's folder"
            )
        return truths

    def write_table(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        """`benchmarks/results/NAME` as CSV, every row with every column, if it was asked for and the shared footage is
        there."""
        if not self.tables or not SHARED.is_dir():
            return
        columns = list(dict.fromkeys(key for row in rows for key in row))
        with Path(__file__).with_name("results").joinpath(name).open("w", newline="") as file:
            table = csv.DictWriter(file, columns, restval=0)
            table.writeheader()
            table.writerows(rows)


def asked(arguments: Sequence[str]) -> Asked:
    """`[--tables] [FOLDER_OF_STILLS …]`."""
    return Asked(tuple(Path(a) for a in arguments if a != TABLES), TABLES in arguments)


def films() -> list[Path]:
    """The sample film, and those of the shared footage where they are."""
    return [SAMPLE, *sorted(p for p in (SHARED / "clips").glob("*.mp4") if p.stem != SAMPLE.stem)]
