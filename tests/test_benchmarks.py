"""Benchmarks can be run: all of them by name, and those of finding and reading without the shared footage."""

import importlib
from pathlib import Path

import pytest

from benchmarks import _footage, read
from benchmarks.__main__ import main, names


def test_each_has_a_main() -> None:
    assert names()
    for name in names():
        assert callable(importlib.import_module(f"benchmarks.{name}").main), name


def test_an_unknown_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reed"]) == 2
    assert "unknown benchmark 'reed'; known are engine, find" in capsys.readouterr().err


def test_each_runs_by_itself_and_those_that_fail_are_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("STORISENDE_FOOTAGE", str(tmp_path))
    assert main(["find"]) == 0
    assert capfd.readouterr().out == (
        f"== find\nSKIPPED: no stills in {tmp_path / 'stills'}; set STORISENDE_FOOTAGE to the footage's folder\n"
    )
    (tmp_path / "stills").mkdir()
    (tmp_path / "stills" / "1.json").write_text("{")
    assert main(["find"]) == 1
    assert capfd.readouterr().err.endswith("failed: find\n")


def test_readings_are_counted_without_the_shared_footage_and_no_table_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(_footage, "SHARED", tmp_path / "missing")
    tables = sorted(Path(read.__file__).with_name("results").glob("*.csv"))
    before = [table.read_bytes() for table in tables]
    read.main([_footage.TABLES])
    printed = capsys.readouterr().out
    assert f"SKIPPED: no stills in {tmp_path / 'missing' / 'stills'}" in printed
    surest = next(line for line in printed.splitlines() if line.startswith("confidence 0.999"))
    cells, right = surest.removeprefix("confidence 0.999 … 1.000: ").split(" cells, right ")
    assert int(cells) > 500
    assert float(right) > 0.99
    assert [table.read_bytes() for table in tables] == before
