"""Finds JMeter, or puts one together from Maven Central.

There is no archive of JMeter on Maven Central, but its parts are: `jmeter/pom.xml` names them and
Maven fetches them with what they need. JMeter wants them in a folder of this shape:

    bin/ApacheJMeter.jar    bin/*.properties    lib/*.jar    lib/ext/ApacheJMeter_*.jar
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
POM = ROOT / "jmeter" / "pom.xml"
MADE = ROOT / "data" / "jmeter-home"
FETCH_SECONDS = 900.0


class NoJMeter(Exception):
    """JMeter is not there and cannot be fetched; says what is missing."""


def jmeter_command(*, fetch: bool = True) -> Sequence[str]:
    """What starts JMeter: of JMETER_HOME, on the PATH, or the one made here. Raises NoJMeter."""
    home = os.environ.get("JMETER_HOME")
    if home:
        return [str(Path(home) / "bin" / "jmeter")]
    if found := shutil.which("jmeter"):
        return [found]
    java = shutil.which("java")
    if java is None:
        raise NoJMeter("there is no JMeter on the PATH, and no Java for one")
    if not _launcher(MADE).exists():
        if not fetch:
            raise NoJMeter("JMeter is not there; python -m benchmarks.jmeter --fetch gets it")
        make_home(MADE)
    return [java, "-Xmx1g", "-jar", str(_launcher(MADE))]


def _launcher(home: Path) -> Path:
    return home / "bin" / "ApacheJMeter.jar"


def make_home(home: Path) -> None:
    """Fetch the parts by Maven and lay them out. Raises NoJMeter."""
    maven = shutil.which("mvn")
    if maven is None:
        raise NoJMeter("there is no JMeter on the PATH, and no Maven (mvn) to fetch it with")
    unfinished = home.with_name(f"{home.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    jars = unfinished / "lib"
    command = [
        maven,
        "-q",
        "-B",
        "-f",
        str(POM),
        "dependency:copy-dependencies",
        f"-DoutputDirectory={jars}",
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NoJMeter(f"Maven had not fetched JMeter after {FETCH_SECONDS:g} s") from error
    if done.returncode:
        raise NoJMeter(f"Maven could not fetch JMeter: {(done.stdout + done.stderr)[-500:]}")
    _lay_out(unfinished)
    shutil.rmtree(home, ignore_errors=True)
    unfinished.rename(home)


def _lay_out(home: Path) -> None:
    extensions, settings = home / "lib" / "ext", home / "bin"
    extensions.mkdir()
    settings.mkdir()
    for jar in sorted((home / "lib").glob("ApacheJMeter*.jar")):
        if jar.name.startswith("ApacheJMeter-"):
            jar.rename(settings / "ApacheJMeter.jar")
        elif jar.name.startswith("ApacheJMeter_config"):
            _unpack_settings(jar, settings)
            jar.unlink()
        else:
            jar.rename(extensions / jar.name)


def _unpack_settings(jar: Path, folder: Path) -> None:
    """The files in bin/ of the jar, without folders."""
    with zipfile.ZipFile(jar) as packed:
        for entry in packed.infolist():
            name = Path(entry.filename)
            if name.parent.name == "bin" and not entry.is_dir():
                (folder / name.name).write_bytes(packed.read(entry))
