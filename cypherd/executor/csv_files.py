"""Files that LOAD CSV may read: those below one folder, by name or as file: URL.

'people.csv'  'file:///people.csv'  'file:///2024/people%20of%20Oslo.csv.gz'
"""

from __future__ import annotations

import gzip
import io
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast
from urllib.parse import unquote, urlsplit

from cypherd.errors import ExternalResourceFailed


def find_csv(url: str, folder: str) -> Path:
    """The file that a name or URL stands for.

    Raises ExternalResourceFailed if it is no file below `folder`, links followed.
    """
    if not folder:
        raise ExternalResourceFailed(
            "LOAD CSV may read no files here; the setting import_folder names a folder for them"
        )
    root = Path(folder).resolve()
    name = _name(url)
    try:
        path = (root / name.lstrip("/")).resolve()
        inside = path.is_relative_to(root)
        kind = path.stat().st_mode if inside else 0
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no file name"
        raise ExternalResourceFailed(f"{url!r} cannot be read: {reason}") from error
    if not inside:
        raise ExternalResourceFailed(
            f"{url!r} is not below the folder of the setting import_folder"
        )
    # A pipe or a device might never end, or never begin.
    if not stat.S_ISREG(kind):
        raise ExternalResourceFailed(f"{url!r} is no file")
    return path


def shown_name(path: Path, folder: str) -> str:
    """What file() tells: the path below the folder."""
    return "/" + path.relative_to(Path(folder).resolve()).as_posix()


def _name(url: str) -> str:
    scheme = url.partition(":")[0].lower() if ":" in url else ""
    if scheme in ("http", "https", "ftp"):
        raise ExternalResourceFailed(
            f"{url!r}: LOAD CSV reads nothing from the network, only files below the folder of the "
            "setting import_folder"
        )
    if scheme != "file":
        return url
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise ExternalResourceFailed(f"{url!r} names another machine; write file:///{parts.netloc}")
    return unquote(parts.path)


@contextmanager
def opened(path: Path, url: str) -> Iterator[TextIO]:
    """The text of a file, unpacked if its name ends in .gz; line ends are left as they are.

    Raises ExternalResourceFailed, also for what is read within it."""
    try:
        with path.open("rb") as raw:
            data = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if path.suffix == ".gz" else raw
            with io.TextIOWrapper(data, encoding="utf-8-sig", newline="") as text:
                yield text
    except UnicodeDecodeError as error:
        raise ExternalResourceFailed(
            f"{url!r} is not UTF-8: byte {error.object[error.start]:#04x}"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise ExternalResourceFailed(f"{url!r} cannot be read: {error}") from error
