"""The built wheel, in a clean environment, away from the checkout: it serves and answers.

    python -m tests.wheel.check_wheel

Builds the wheel, installs it into a new environment in a temporary folder, makes a graph with the
installed command, serves it, and asks one query in each format. Ends with 1 when a check fails.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgpack

from benchmarks.client import Answer, Server, ask

ROOT = Path(__file__).resolve().parents[2]
QUERY = "MATCH (p:Person {id: 7}) RETURN p.id AS id, p.firstName AS name"


def _build(folder: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _check_content(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("grammar", "templates"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and not path.name.startswith("."):
                packed = f"cypherd/{path.relative_to(ROOT).as_posix()}"
                assert packed in names, f"{packed} is not in the wheel"
    outside = [name for name in names if not name.startswith(("cypherd/", "cypherd-"))]
    assert not outside, f"the wheel holds {outside}"


def _install(wheel: Path, folder: Path) -> Path:
    """The new environment's `cypherd` command."""
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", str(wheel)], check=True)
    return folder / "bin" / "cypherd"


def _check_json(answer: Answer) -> None:
    document = answer.json()
    assert document["columns"] == ["id", "name"], document
    ((number, name),) = document["data"]
    assert number == 7, document
    assert name, document


def _check_ndjson(answer: Answer) -> None:
    head, row, end = map(json.loads, answer.body.splitlines())
    assert head == {"columns": ["id", "name"]}, head
    assert row[0] == 7, row
    assert end["end"]["rows"] == 1, end


def _check_csv(answer: Answer) -> None:
    head, row = csv.reader(answer.body.decode().splitlines())
    assert head == ["id", "name"], head
    assert row[0] == "7", row


def _check_msgpack(answer: Answer) -> None:
    document = msgpack.unpackb(answer.body)
    assert document["columns"] == ["id", "name"], document
    assert document["data"][0][0] == 7, document


def _check_msgpack_seq(answer: Answer) -> None:
    head, row, end = msgpack.Unpacker(io.BytesIO(answer.body))
    assert (head, row[0], end) == ({"columns": ["id", "name"]}, 7, {"end": {"rows": 1}}), row


def _check_text(answer: Answer) -> None:
    lines = answer.body.decode().splitlines()
    assert lines[0].split() == ["id", "|", "name"], lines
    assert lines[-1] == "(1 row)", lines


def _check_html(answer: Answer) -> None:
    assert b'<tr><td class="number">7' in answer.body, answer.body


FORMATS: dict[str, Callable[[Answer], None]] = {
    "application/json": _check_json,
    "application/x-ndjson": _check_ndjson,
    "text/plain": _check_text,
    "text/csv": _check_csv,
    "text/html": _check_html,
    "application/msgpack": _check_msgpack,
    "application/x-msgpack-seq": _check_msgpack_seq,
}


def main() -> int:
    with TemporaryDirectory(prefix="cypherd-wheel-") as name:
        folder = Path(name)
        wheel = _build(folder / "dist")
        _check_content(wheel)
        command = str(_install(wheel, folder / "environment"))
        store = folder / "store"
        generate = [command, "generate", "--store", str(store), "--persons", "50"]
        subprocess.run(generate, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        server = Server(store, command=[command], cwd=folder).start()
        try:
            for accept, check in FORMATS.items():
                answer = ask(server.port, QUERY, accept=accept)
                assert answer.status == 200, answer.body
                assert answer.headers["content-type"].startswith(accept), answer.headers
                check(answer)
        finally:
            code = server.stop()
        assert code == 0, f"exit code {code} after SIGTERM\n{server.log_text()}"
    print(f"{wheel.name}: installs, serves and answers in {', '.join(FORMATS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
