"""Runs the examples of README.md and docs/ against the sample graph of `make run`.

    ```cypher             a statement each (or several, ended by semicolons), must succeed
    ```cypher error       must be refused
    ```bash run           must end with 0, in a folder of its own; http://127.0.0.1:7475 stands for
                          the test's server
    ```python run         must run, with what it imports installed; the same address
    ```json result        what the example before it prints (bash) or answers (cypher: its rows)
    ```text result        what the example before it prints (bash), line by line

Other blocks are text. The pages of the language have a graph of their own: test_language_pages.py.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.client import Server, ask
from cypherd.generator import generate_social_network
from cypherd.settings import GIB
from tests.docs.language import is_of_language

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if not is_of_language(page)
]
SERVED = "http://127.0.0.1:7475"
RESULTS = ("json result", "text result")
RUNS = ("cypher", "cypher error", "bash run", "python run")
_FENCE = re.compile(r"^```(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    name: str
    kind: str
    text: str
    result: str | None
    result_kind: str = ""


def _examples_of(page: Path) -> Iterator[Example]:
    content = page.read_text(encoding="utf-8")
    blocks = [
        (m[1].strip(), m[2], content.count("\n", 0, m.start())) for m in _FENCE.finditer(content)
    ]
    for i, (kind, text, line) in enumerate(blocks):
        if kind in RUNS:
            follows = i + 1 < len(blocks) and blocks[i + 1][0] in RESULTS
            name = f"{page.relative_to(ROOT).as_posix()}:{line + 1}"
            result_kind, result, _ = blocks[i + 1] if follows else ("", None, 0)
            yield Example(name, kind, text, result, result_kind)


EXAMPLES = [example for page in PAGES for example in _examples_of(page)]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    store = tmp_path_factory.mktemp("docs") / "sample"
    generate_social_network(store, persons=1000, map_size=GIB)
    with Server(store, settings={"map_size": "1GiB"}) as server:
        yield server.port


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_example(example: Example, port: int, tmp_path: Path) -> None:
    if example.kind == "bash run":
        _run_shell(example, port, tmp_path)
    elif example.kind == "python run":
        _run_python(example, port, tmp_path)
    else:
        _run_cypher(example, port)


def _run_shell(example: Example, port: int, folder: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    script = example.text.replace(SERVED, f"http://127.0.0.1:{port}")
    done = _run(["bash", "-euo", "pipefail", "-c", script], folder)
    assert done.stdout.strip(), "it prints nothing"
    if example.result_kind == "text result":
        assert example.result is not None
        assert done.stdout.splitlines() == example.result.splitlines()
    elif example.result is not None:
        assert json.loads(done.stdout) == json.loads(example.result)


def _run_python(example: Example, port: int, folder: Path) -> None:
    for part in ast.walk(ast.parse(example.text)):
        if isinstance(part, ast.Import):
            for alias in part.names:
                pytest.importorskip(alias.name)
    script = example.text.replace(SERVED, f"http://127.0.0.1:{port}")
    _run([sys.executable, "-W", "error", "-c", script], folder)


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    # The command of the environment that the tests run in.
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done


def _run_cypher(example: Example, port: int) -> None:
    answer = None
    for statement in filter(str.strip, re.split(r";[ \t]*$", example.text, flags=re.MULTILINE)):
        answer = ask(port, statement, {"name": "Wei", "names": ["Wei", "Ana"]})
        if example.kind == "cypher error":
            assert 400 <= answer.status < 500, answer.body
        else:
            answer.rows()
    assert answer is not None
    if example.result is not None:
        assert answer.rows() == json.loads(example.result)


def test_the_readme_line_prints_rows(port: int) -> None:
    """The first example of README.md is the one that a newcomer pastes."""
    example = next(example for example in EXAMPLES if example.name.startswith("README.md"))
    body = re.search(r"-d '(.*?)'", example.text, re.DOTALL)
    assert body is not None
    request = json.loads(body[1])
    assert ask(port, request["query"], request["params"]).rows()
