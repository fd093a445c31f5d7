"""The command line in processes of its own: what it prints, where, and its exit codes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

import cypherd


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cypherd", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"cypherd {cypherd.__version__}\n")


@pytest.mark.parametrize("command", ["serve", "import", "generate", "info", "query", "status"])
def test_every_command_has_help(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert "Example:" in done.stdout
    assert command in run("--help").stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, cypherd.cli as c\n"
        "try: c.application(['query', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'lmdb', 'lark', 'uvicorn', 'starlette', 'httpx', "
        "'prompt_toolkit'} & set(sys.modules)\n"
        "print(heavy, file=sys.stderr); sys.exit(bool(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_generate_and_info(tmp_path: Path) -> None:
    store = tmp_path / "store"
    done = run("generate", "--store", store, "--persons", "50")
    assert done.returncode == 0, done.stderr
    found = json.loads(run("info", "--store", store, "--json").stdout)
    assert found["labels"]["Person"] == 50
    assert f"{found['nodes']:,} nodes" in done.stdout
    assert found["relationships"] == sum(found["types"].values())
    assert "label Person: 50" in run("info", "--store", store).stdout


def people(folder: Path, *rows: tuple[str, str]) -> Path:
    """A folder to import: persons by id and name."""
    (folder / "nodes").mkdir(parents=True)
    with (folder / "nodes" / "Person.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "name"), *rows])
    types = {"id": "INTEGER", "name": "STRING"}
    manifest = [{"file": "nodes/Person.csv", "labels": ["Person"], "types": types}]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def test_import(tmp_path: Path) -> None:
    store = tmp_path / "store"
    folder = people(tmp_path / "csv", ("1", "Ann"), ("2", "Bob"))
    done = run("import", folder, "--store", store)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 nodes, 0 relationships")
    found = json.loads(run("info", "--store", store, "--json").stdout)
    assert found["labels"] == {"Person": 2}


def test_a_bad_row_is_told_by_file_and_line(tmp_path: Path) -> None:
    folder = people(tmp_path / "csv", ("1", "Ann"), ("two", "Bob"))
    done = run("import", folder, "--store", tmp_path / "store")
    assert done.returncode == 1
    assert "Person.csv" in done.stderr
    assert "3" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_store(tmp_path: Path) -> None:
    done = run("info", "--store", tmp_path / "none")
    assert done.returncode == 1
    assert done.stderr.startswith("cypherd: ")
    assert str(tmp_path / "none") in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_wrong_setting(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("colour = 1")
    done = run("info", "--store", tmp_path, "--config", file)
    assert done.returncode == 2
    assert "colour" in done.stderr


def test_a_wrong_option() -> None:
    assert run("info", "--nonsense").returncode == 2
    assert run("nonsense").returncode == 2


def test_import_of_files(tmp_path: Path) -> None:
    (tmp_path / "persons.csv").write_text("id:ID\tname\n1\tAnn\n2\tBob\n1\tAgain\n")
    (tmp_path / "knows.csv").write_text(":START_ID\t:END_ID\n1\t2\n1\t3\n")
    arguments = (
        *("import", "--store", tmp_path / "store", "--delimiter", "TAB", "--json"),
        *("--nodes", f"Person={tmp_path / 'persons.csv'}"),
        *("--relationships", f"KNOWS={tmp_path / 'knows.csv'}"),
    )
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert "persons.csv:4: the id 1 is there already" in done.stderr
    done = run(*arguments, "--skip-duplicate-nodes", "--skip-bad-relationships")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["nodes"], report["relationships"], report["skipped"]) == (2, 1, 2)
    assert run("check", "--store", tmp_path / "store").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [(), ("folder", "--nodes", "a.csv"), ("--nodes", "a.csv", "--delimiter", "ab")],
    ids=["nothing", "both", "delimiter"],
)
def test_an_import_of_what(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run("import", "--store", tmp_path / "store", *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_export_and_import_again(tmp_path: Path) -> None:
    first, files, second = tmp_path / "first", tmp_path / "files", tmp_path / "second"
    assert run("generate", "--store", first, "--persons", "60").returncode == 0
    done = run("export", files, "--store", first, "--json")
    assert done.returncode == 0, done.stderr
    assert run("import", files, "--store", second).returncode == 0
    schema = files / "schema.cypher"
    assert run("query", "--store", second, "--file", schema).returncode == 0
    before, after = (
        json.loads(run("info", "--store", s, "--json").stdout) for s in (first, second)
    )
    report = json.loads(done.stdout)
    assert (report["nodes"], report["relationships"]) == (before["nodes"], before["relationships"])
    for part in ("nodes", "relationships", "labels", "types"):
        assert after[part] == before[part]
    assert sorted(after["indexes"]) == sorted(before["indexes"])
    assert run("check", "--store", second).returncode == 0
    again = run("export", files, "--store", first)
    assert again.returncode == 1
    assert "is not empty" in again.stderr
