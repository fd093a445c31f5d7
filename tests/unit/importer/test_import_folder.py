"""Importing folders of CSV files: what they become, bad rows, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cypherd.errors import ImportFailed, StoreError
from cypherd.importer import ImportReport, import_folder
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import LmdbStore, open_store
from cypherd.storage.protocols import ReadTransaction

MAP_SIZE = 1 << 28

FILES = {
    "nodes/Person.csv": (
        "id,name,age,height,active,speaks,marks,kind\n"
        '1,"Ann, ""A""",30,1.75,true,de;en,1;2,Boss\n'
        "2,Bob,,,FALSE,,,\n"
        '3,"two\nlines",-5,1e3,,x,7,Boss\n'
    ),
    "nodes/Post.csv": "id,text\n1,hello\n2,\n",
    "rels/Person_KNOWS_Person.csv": "startId,endId,since\n1,2,1999\n2,3,\n2,2,5\n",
    "rels/Boss_WROTE_Message.csv": "startId,endId\n3,1\n",
}
PERSON_TYPES = {
    "id": "INTEGER",
    "name": "STRING",
    "age": "INTEGER",
    "height": "FLOAT",
    "active": "BOOLEAN",
    "speaks": 'LIST OF STRING, ";"-separated',
    "marks": "LIST OF INTEGER",
    "kind": "STRING (second node label)",
}
ENDS = {"startId": "INTEGER", "endId": "INTEGER"}
MANIFEST: list[dict[str, Any]] = [
    {
        "file": "rels/Person_KNOWS_Person.csv",
        "types": {**ENDS, "since": "INTEGER"},
        "startLabel": "Person",
        "type": "KNOWS",
        "endLabel": "Person",
    },
    {"file": "nodes/Person.csv", "rows": 3, "types": PERSON_TYPES, "labels": ["Person"]},
    {"file": "nodes/Post.csv", "types": {"id": "INTEGER"}, "labels": ["Post", "Message"]},
    {
        "file": "rels/Boss_WROTE_Message.csv",
        "rows": 1,
        "types": ENDS,
        "startLabel": "Boss",
        "type": "WROTE",
        "endLabel": "Message",
    },
]


def folder_of(path: Path, files: Mapping[str, str] | None = None, manifest: Any = MANIFEST) -> Path:
    folder = path / "files"
    for name, text in {**FILES, **(files or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if manifest is not None:
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def load(folder: Path, store: Path, **options: Any) -> ImportReport:
    return import_folder(folder, store, map_size=MAP_SIZE, progress=None, **options)


@contextmanager
def reading(path: Path) -> Iterator[ReadTransaction]:
    store = open_store(path, map_size=MAP_SIZE, max_readers=8)
    with store.read() as transaction:
        yield transaction
    store.close()


def nodes_of(read: ReadTransaction) -> list[tuple[list[str], dict[str, Any]]]:
    (ids,) = read.scan_nodes(None, 1000)
    return [
        (
            [read.schema.label_name(label) for label in labels],
            {read.schema.property_name(key): value for key, value in properties.items()},
        )
        for record in read.node_records(ids)
        if record is not None
        for labels, properties in [record]
    ]


def test_with_a_manifest(tmp_path: Path) -> None:
    report = load(folder_of(tmp_path), tmp_path / "graph")
    assert (report.nodes, report.relationships, report.indexes) == (5, 4, 2)
    with reading(tmp_path / "graph") as read:
        assert nodes_of(read) == [
            (
                ["Person", "Boss"],
                {
                    "id": 1,
                    "name": 'Ann, "A"',
                    "age": 30,
                    "height": 1.75,
                    "active": True,
                    "speaks": ["de", "en"],
                    "marks": [1, 2],
                },
            ),
            (["Person"], {"id": 2, "name": "Bob", "active": False}),
            (
                ["Person", "Boss"],
                {
                    "id": 3,
                    "name": "two\nlines",
                    "age": -5,
                    "height": 1000.0,
                    "speaks": ["x"],
                    "marks": [7],
                },
            ),
            (["Post", "Message"], {"id": 1, "text": "hello"}),
            (["Post", "Message"], {"id": 2}),
        ]
        (rows,) = read.scan_relationships(None, 100)
        names = [read.schema.type_name(type_) for type_ in rows.type.tolist()]
        assert list(zip(names, rows.start.tolist(), rows.end.tolist(), strict=True)) == [
            ("KNOWS", 0, 1),
            ("KNOWS", 1, 2),
            ("KNOWS", 1, 1),
            ("WROTE", 2, 3),
        ]
        since = read.schema.property_id("since")
        assert since is not None
        assert read.relationship_properties(rows.id, [since]) == [[1999, None, 5, None]]
        assert report.properties == (7 + 3 + 6) + (2 + 1) + 2
        person, knows = read.schema.label_id("Person"), read.schema.type_id("KNOWS")
        assert read.counts.relationships(knows, start_label=person) == 3
        assert read.counts.relationships(end_label=read.schema.label_id("Message")) == 1
        index = next(index for index in read.schema.indexes if index.owner == person)
        assert read.index_seek(index, [(2,), (9,)]).id.tolist() == [1]
        assert read.counts.index_entries(index.id) == 3


def test_without_a_manifest_everything_is_text(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"rels/Boss_WROTE_Message.csv": ""}, manifest=None)
    (folder / "rels/Boss_WROTE_Message.csv").unlink()
    report = load(folder, tmp_path / "graph")
    assert (report.nodes, report.relationships) == (5, 3)
    with reading(tmp_path / "graph") as read:
        assert nodes_of(read)[1] == (["Person"], {"id": "2", "name": "Bob", "active": "FALSE"})


BAD_ROWS = [
    ("nodes/Post.csv", "id,text\n1,a\n1,b\n", "nodes/Post.csv:3: id 1 of Post is there already"),
    ("nodes/Post.csv", "id,text\n1,a\n,b\n", "nodes/Post.csv:3: the row has no id"),
    ("nodes/Post.csv", "id,text\n1\n", "nodes/Post.csv:2: 1 fields instead of 2"),
    ("nodes/Post.csv", 'id,text\n1,"a\nb"\nx,c\n', "nodes/Post.csv:4: column id: 'x' is not an"),
    ("nodes/Post.csv", "id,text\n9223372036854775808,\n", "is not an INTEGER of 64 bits"),
    ("nodes/Post.csv", "id,text\n1_0,\n", "is not an INTEGER"),
    ("nodes/Post.csv", 'id,text\n1,"a"b\n', "nodes/Post.csv:2: not CSV"),
    ("nodes/Post.csv", "", "nodes/Post.csv:1: the file has no header line"),
    ("nodes/Post.csv", "text\na\n", "nodes/Post.csv:1: the header has no column id"),
    ("nodes/Post.csv", "id,id\n1,1\n", "nodes/Post.csv:1: the header repeats"),
    (
        "rels/Boss_WROTE_Message.csv",
        "startId,endId\n2,1\n",
        "rels/Boss_WROTE_Message.csv:2: there is no Boss with id 2",
    ),
    (
        "rels/Boss_WROTE_Message.csv",
        "startId,endId\n1,1\n1,2\n",
        "the file has 2 rows, the manifest says 1",
    ),
]


@pytest.mark.parametrize(
    ("file", "text", "message"), BAD_ROWS, ids=[message for _, _, message in BAD_ROWS]
)
def test_bad_rows(tmp_path: Path, file: str, text: str, message: str) -> None:
    folder = folder_of(tmp_path, {file: text})
    with pytest.raises(ImportFailed) as caught:
        load(folder, tmp_path / "graph")
    assert message in caught.value.message
    assert [entry.name for entry in tmp_path.iterdir()] == ["files"]


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "nodes/Post.csv").write_bytes(b"id,text\n1,good\n2,b\xe4d\n")
    with pytest.raises(ImportFailed, match=r"nodes/Post.csv:3: the text is not UTF-8"):
        load(folder, tmp_path / "graph")


@pytest.mark.parametrize(("limit", "listed"), [(1, 1), (3, 3), (20, 5)])
def test_bad_rows_are_listed_up_to_a_limit(tmp_path: Path, limit: int, listed: int) -> None:
    rows = "".join(f"x{number},\n" for number in range(5))
    folder = folder_of(tmp_path, {"nodes/Post.csv": "id,text\n1,\n" + rows})
    with pytest.raises(ImportFailed) as caught:
        load(folder, tmp_path / "graph", max_errors=limit)
    found = [line for line in caught.value.message.splitlines() if "nodes/Post.csv:" in line]
    assert len(found) == listed


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({}, "expected a list"),
        ([{"labels": ["A"]}], "expected an object with a `file`"),
        ([{"file": "nodes/Post.csv"}], "expected `labels`"),
        ([{"file": "nodes/None.csv", "labels": ["A"]}], "there is no file nodes/None.csv"),
        (
            [{"file": "nodes/Post.csv", "labels": ["A"], "types": {"id": "YEAR"}}],
            "unknown type 'YEAR'",
        ),
        ([MANIFEST[0]], "no node file has keys of the label Person"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_manifests_that_are_wrong(tmp_path: Path, manifest: Any, message: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        load(folder_of(tmp_path, manifest=manifest), tmp_path / "graph")
    assert message in caught.value.message


def test_a_key_that_several_have_matters_only_where_it_is_used(tmp_path: Path) -> None:
    more = {
        "file": "nodes/Comment.csv",
        "types": {"id": "INTEGER"},
        "labels": ["Comment", "Message"],
    }
    files = {"nodes/Comment.csv": "id\n2\n"}
    load(folder_of(tmp_path, files, [*MANIFEST, more]), tmp_path / "graph")
    files["nodes/Comment.csv"] = "id\n1\n"
    with pytest.raises(ImportFailed, match="there are several Message with id 1"):
        load(folder_of(tmp_path, files, [*MANIFEST, more]), tmp_path / "other")


def make_store(path: Path, nodes: int) -> None:
    store: LmdbStore = open_store(path, map_size=MAP_SIZE, max_readers=8, create=True)
    with store.write() as write:
        label, key = write.label_token("Person"), write.property_token("name")
        write.create_index("names", "node", label, [key])
        write.create_nodes([(label,)] * nodes, [{}] * nodes)
        write.commit()
    store.close()


def test_into_an_empty_store_that_has_an_index(tmp_path: Path) -> None:
    make_store(tmp_path / "graph", 0)
    load(folder_of(tmp_path), tmp_path / "graph")
    with reading(tmp_path / "graph") as read:
        index = next(index for index in read.schema.indexes if index.name == "names")
        assert read.index_seek(index, [("Bob",)]).id.tolist() == [1]
        assert read.counts.nodes() == 5


def test_into_a_store_that_is_not_empty(tmp_path: Path) -> None:
    make_store(tmp_path / "graph", 2)
    with pytest.raises(StoreError, match="holds 2 nodes already"):
        load(folder_of(tmp_path), tmp_path / "graph")
    with reading(tmp_path / "graph") as read:
        assert read.counts.nodes() == 2


def test_into_a_store_that_is_served(tmp_path: Path) -> None:
    make_store(tmp_path / "graph", 0)
    with StoreLock(tmp_path / "graph"), pytest.raises(StoreError, match="in use by process"):
        load(folder_of(tmp_path), tmp_path / "graph")


def test_a_folder_that_is_no_store(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with pytest.raises(StoreError, match="is not a cypherd store"):
        load(folder, folder)


def test_what_a_killed_import_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / ".graph.importing-1"
    left.mkdir()
    (left / "data.mdb").write_text("half")
    load(folder_of(tmp_path), tmp_path / "graph")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["files", "graph"]


def test_progress_ends_at_the_number_of_rows(tmp_path: Path) -> None:
    seen: dict[str, tuple[int, int]] = {}

    def progress(stage: str, done: int, total: int) -> None:
        seen[stage] = (done, total)

    import_folder(folder_of(tmp_path), tmp_path / "graph", map_size=MAP_SIZE, progress=progress)
    assert seen["nodes/Person.csv"] == (3, 3)
    assert seen["rels/Person_KNOWS_Person.csv"] == (3, 3)
    assert seen["indexes"] == (2, 2)


def test_temporal_columns(tmp_path: Path) -> None:
    types = {
        "id": "INTEGER",
        "day": "DATE",
        "moment": "ZONED DATETIME",
        "local": "LOCAL DATETIME",
        "time": "ZONED TIME",
        "clock": "LOCAL TIME",
        "long": "DURATION",
        "days": "LIST OF DATE",
    }
    row = "1,2015-07-21,2015-07-21T10:00[Europe/Berlin],2015-07-21T10:00,10:00Z,1030,P1D"
    files = {"nodes/T.csv": f"{','.join(types)}\n{row},2015-01-01;2016\n2,,,,,,,\n"}
    manifest = [{"file": "nodes/T.csv", "types": types, "labels": ["T"]}]
    load(folder_of(tmp_path, files, manifest), tmp_path / "store")
    with reading(tmp_path / "store") as read:
        stored = [properties for _, properties in nodes_of(read)]
    days = stored[0].pop("days")
    assert [str(day) for day in days] == ["2015-01-01", "2016-01-01"]
    assert {name: str(value) for name, value in stored[0].items()} == {
        "id": "1",
        "day": "2015-07-21",
        "moment": "2015-07-21T10:00+02:00[Europe/Berlin]",
        "local": "2015-07-21T10:00",
        "time": "10:00Z",
        "clock": "10:30",
        "long": "P1D",
    }
    assert stored[1] == {"id": 2}


@pytest.mark.parametrize(("kind", "text"), [("DATE", "2015-02-30"), ("DURATION", "1 day")])
def test_temporal_columns_that_are_none(tmp_path: Path, kind: str, text: str) -> None:
    files = {"nodes/T.csv": f"id,x\n1,{text}\n"}
    manifest = [{"file": "nodes/T.csv", "types": {"x": kind}, "labels": ["T"]}]
    with pytest.raises(ImportFailed, match=f"nodes/T.csv:2: column x: '{text}' is no {kind}"):
        load(folder_of(tmp_path, files, manifest), tmp_path / "store")
