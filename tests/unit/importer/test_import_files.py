"""Files with headers that say what their columns are: types, labels, spaces, options, faults."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cypherd.errors import CypherdError, ImportFailed
from cypherd.importer import ImportOptions, ImportReport, import_files, import_folder
from cypherd.importer.groups import Rule, rule_of
from cypherd.importer.reading import BATCH, Dialect
from cypherd.storage.lmdb.store import open_store
from tests.unit.importer.graphs import MAP_SIZE, graph_of

PERSONS = "id:ID,name\n1,Ann\n2,Bob\n"
KNOWS = ":START_ID,:END_ID,since:int\n1,2,1999\n"


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.csv").write_text(text, encoding="utf-8", newline="")


def load(nodes: list[str], relationships: list[str] | None = None, **options: Any) -> ImportReport:
    return import_files(
        nodes,
        relationships or [],
        Path("store"),
        map_size=MAP_SIZE,
        options=ImportOptions(**options),
    )


def test_labels_types_and_spaces() -> None:
    write(
        persons="personId:ID(Person),name,:LABEL\n1,Ann,Boss;Writer\n2,Bob,\n",
        films=":ID(Film),title:string,:IGNORE,year:int\n1,Heat,x,1995\n",
        acted=":START_ID(Person),role,:END_ID(Film),:TYPE\n1,Neil,1,ACTED_IN\n2,,1,SAW\n",
    )
    report = load(["Person=persons.csv", "Film:Work=films.csv"], ["acted.csv"])
    assert (report.nodes, report.relationships, report.properties) == (3, 2, 7)
    nodes, relationships = graph_of(Path("store"))
    assert nodes == [
        (["Boss", "Person", "Writer"], {"personId": "1", "name": "Ann"}),
        (["Person"], {"personId": "2", "name": "Bob"}),
        (["Film", "Work"], {"title": "Heat", "year": 1995}),
    ]
    assert relationships == [(0, "ACTED_IN", 2, {"role": "Neil"}), (1, "SAW", 2, {})]


TYPES = [
    ("string", "a b", "a b"),
    ("char", "a", "a"),
    ("int", "-5", -5),
    ("long", "9223372036854775807", (1 << 63) - 1),
    ("short", "32767", 32767),
    ("byte", "-128", -128),
    ("float", "1.5", 1.5),
    ("double", "1e3", 1000.0),
    ("boolean", "TRUE", True),
    ("date", "2015-07-21", "2015-07-21"),
    ("localtime", "10:30", "10:30"),
    ("time", "10:00+02:00", "10:00+02:00"),
    ("localdatetime", "2015-07-21T10:00", "2015-07-21T10:00"),
    ("datetime", "2015-07-21T10:00Z", "2015-07-21T10:00Z"),
    ("datetime{timezone:UTC}", "2015-07-21T10:00Z", "2015-07-21T10:00Z"),
    ("datetime{timezone:+02:00}", "2015-07-21T10:00", "2015-07-21T10:00+02:00"),
    ("time{timezone:+02:00}", "10:00", "10:00+02:00"),
    ("duration", "P1DT2H", "P1DT2H"),
    ("point", '"{x: 1, y: 2}"', "point({x: 1.0, y: 2.0, crs: 'cartesian'})"),
    (
        "point{crs:WGS-84}",
        '"{x: 1, y: 2}"',
        "point({x: 1.0, y: 2.0, crs: 'wgs-84'})",
    ),
    ("int[]", "1;2", [1, 2]),
    ("string[]", "a;;b", ["a", "", "b"]),
    ("string[]", '""', []),
    ("boolean[]", "true;false", [True, False]),
    ("json", '"[""a;b"",""""]"', ["a;b", ""]),
    ("string", '""', ""),
    ("string", '"say ""hi"""', 'say "hi"'),
    ("string", '"two\r\nlines"', "two\r\nlines"),
]


@pytest.mark.parametrize(("kind", "text", "value"), TYPES, ids=[f"{k} {t}" for k, t, _ in TYPES])
def test_types(kind: str, text: str, value: Any) -> None:
    write(n=f":ID,x:{kind},last\n1,{text},z\n2,,z\n")
    load(["n.csv"])
    nodes, _ = graph_of(Path("store"))
    found = nodes[0][1]["x"]
    if isinstance(value, str) and not isinstance(found, str):
        found = str(found)
    assert found == value
    assert type(found) is type(value)
    assert nodes[1][1] == {"last": "z"}


FAULTS = [
    ("n", ":ID,x:int\n1,1\n2,x\n", "n.csv:3: column x: 'x' is not an INTEGER"),
    ("n", ":ID,x:byte\n1,128\n", "n.csv:2: column x: '128' is not a byte"),
    ("n", ":ID,x:char\n1,ab\n", "n.csv:2: column x: 'ab' is not a single character"),
    ("n", ":ID,x:json\n1,[1]\n", "n.csv:2: column x: '[1]' is not a JSON list of strings"),
    ("n", ":ID,x:vector\n1,\n", "n.csv:1: column 'x:vector': properties of the type vector cannot"),
    ("n", ':ID,x:point\n1,"{x: 1}"\n', "n.csv:2: column x: '{x: 1}' is no POINT: a point has"),
    ("n", ":ID,x:point{crs:moon}\n1,\n", "n.csv:1: column 'x:point{crs:moon}': crs 'moon'"),
    ("n", ":ID,x:time{timezone:Nowhere}\n1,\n", "n.csv:1: column 'x:time{timezone:Nowhere}': "),
    ("n", ":ID,x:colour\n1,\n", "n.csv:1: column 'x:colour': there is no type 'colour'"),
    ("n", ":ID,:ID(B)\n1,\n", "n.csv:1: the header has 2 columns of keys"),
    ("n", ":ID,x,x\n1,,\n", "n.csv:1: the header repeats 'x'"),
    ("n", ":ID,\n1,\n", "n.csv:1: column 2 of the header has no name"),
    ("n", ':ID,x\n1,"a\nb"\n1,\n', "n.csv:4: the id 1 is there already"),
    ("n", ':ID,x\n1,a\n"",b\n', "n.csv:3: the row has no id"),
    ("n", ":ID,x\n1,a\n2\n", "n.csv:3: 1 fields instead of 2"),
    ("r", ":START_ID,:END_ID\n1,2\n1,3\n", "r.csv:3: there is no node with the id 3"),
    ("r", ":START_ID,:END_ID\n,2\n", "r.csv:2: the row has no start"),
    ("r", ":START_ID(A),:END_ID\n1,2\n", "r.csv: no node file has ids in the space A"),
    ("r", ":START_ID,x\n1,2\n", "r.csv:1: the header has no column :END_ID"),
    ("r", ":START_ID,:END_ID,x:date\n1,2,1\n", "r.csv:2: column x: '1' is no DATE"),
]


@pytest.mark.parametrize(("file", "text", "message"), FAULTS, ids=[m for _, _, m in FAULTS])
def test_faults(file: str, text: str, message: str) -> None:
    write(**{"n": PERSONS, "r": KNOWS, file: text})
    with pytest.raises(ImportFailed) as caught:
        load(["n.csv"], ["R=r.csv"])
    assert message in caught.value.message
    assert {path.name for path in Path().iterdir()} == {"n.csv", "r.csv"}


def test_a_relationship_without_a_type() -> None:
    write(n=PERSONS, r=KNOWS, t=":START_ID,:END_ID,:TYPE\n1,2,\n")
    with pytest.raises(ImportFailed, match=r"r\.csv: no type is given"):
        load(["n.csv"], ["r.csv"])
    with pytest.raises(ImportFailed, match=r"t\.csv:2: the row has no type"):
        load(["n.csv"], ["t.csv"])


def test_integer_ids() -> None:
    write(n="id:ID\n01\n-2\n", r=":START_ID,:END_ID\n1,-2\n+1,1\n")
    load(["n.csv"], ["R=r.csv"], integer_ids=True)
    nodes, relationships = graph_of(Path("store"))
    assert nodes == [([], {"id": 1}), ([], {"id": -2})]
    assert relationships == [(0, "R", 1, {}), (0, "R", 0, {})]


def test_ids_that_a_header_types() -> None:
    write(a="id:ID(A){id-type:int}\n7\n", b="id:ID(B)\n07\n", r=":START_ID(A),:END_ID(B)\n007,07\n")
    load(["a.csv", "b.csv"], ["R=r.csv"])
    nodes, relationships = graph_of(Path("store"))
    assert [values for _, values in nodes] == [{"id": 7}, {"id": "07"}]
    assert relationships == [(0, "R", 1, {})]


def test_a_bad_integer_id() -> None:
    write(n="id:ID\n1\n", r=":START_ID,:END_ID\n1,b\n")
    with pytest.raises(ImportFailed, match=r"r\.csv:2: 'b' is not an INTEGER"):
        load(["n.csv"], ["R=r.csv"], integer_ids=True)
    write(n=":ID\na\n")
    with pytest.raises(ImportFailed, match=r"n\.csv:2: 'a' is not an INTEGER"):
        load(["n.csv"], integer_ids=True)


def test_skipping() -> None:
    write(n=PERSONS + "1,Again\n3,Cid\n3,Again\n", r=KNOWS + "1,9,\n3,1,\n8,9,\n")
    report = load(["n.csv"], ["R=r.csv"], skip_duplicate_nodes=True, skip_bad_relationships=True)
    assert (report.nodes, report.relationships, report.skipped) == (3, 2, 4)
    assert report.problems == (
        "n.csv:4: the id 1 is there already",
        "n.csv:6: the id 3 is there already",
        "r.csv:3: there is no node with the id 9",
        "r.csv:5: there is no node with the id 8",
    )
    nodes, relationships = graph_of(Path("store"))
    assert [values["name"] for _, values in nodes] == ["Ann", "Bob", "Cid"]
    assert [(start, end) for start, _, end, _ in relationships] == [(0, 1), (2, 0)]


@pytest.mark.parametrize(("tolerance", "loaded"), [(0, False), (2, False), (3, True), (9, True)])
def test_tolerance(tolerance: int, loaded: bool) -> None:
    write(n=":ID,x:int\n1,a\n2,5\n3,b\n4\n5,6\n")
    if loaded:
        report = load(["n.csv"], bad_tolerance=tolerance)
        assert (report.nodes, report.skipped) == (2, 3)
        assert [values for _, values in graph_of(Path("store"))[0]] == [{"x": 5}, {"x": 6}]
        return
    with pytest.raises(ImportFailed, match="nothing was imported: 3 bad rows"):
        load(["n.csv"], bad_tolerance=tolerance)
    assert not Path("store").exists()


def test_more_bad_rows_than_are_listed() -> None:
    write(n=":ID,x:int\n" + "".join(f"{i},a\n" for i in range(50)) + "99,1\n")
    report = load(["n.csv"], bad_tolerance=100, max_errors=3)
    assert (report.nodes, report.skipped, len(report.problems)) == (1, 50, 3)


@pytest.mark.parametrize("number", [1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH])
def test_lines_are_right_across_batches(number: int) -> None:
    """Every row has two lines and the last one is bad."""
    rows = "".join(f'{i},"a\nb",1\n' for i in range(number))
    write(n=f":ID,x,y:int\n{rows}{number},c,bad\n")
    with pytest.raises(ImportFailed, match=rf"n\.csv:{2 + 2 * number}: column y"):
        load(["n.csv"])
    write(n=f":ID,x,y:int\n{rows}")
    assert load(["n.csv"]).nodes == number


def test_empty_strings() -> None:
    text = ':ID,a,b,c\n1,"",,x\n2,"""","",y\n"3",,"","x ""y"" z"\n4,,"","a\n"""\n'
    write(n=text)
    load(["n.csv"])
    assert [values for _, values in graph_of(Path("store"))[0]] == [
        {"a": "", "c": "x"},
        {"a": '"', "b": "", "c": "y"},
        {"b": "", "c": 'x "y" z'},
        {"b": "", "c": 'a\n"'},
    ]


def test_ignoring_empty_strings() -> None:
    write(n=':ID,a\n1,""\n')
    load(["n.csv"], ignore_empty_strings=True)
    assert graph_of(Path("store"))[0] == [([], {})]


def test_other_characters() -> None:
    write(n=":ID\ta\tb:int[]\tc\n1\t'x\ty'\t1|2\t\"q\"\n")
    load(["n.csv"], dialect=Dialect(delimiter="\t", quote="'", array_delimiter="|"))
    assert graph_of(Path("store"))[0] == [([], {"a": "x\ty", "b": [1, 2], "c": '"q"'})]


def test_without_quotes() -> None:
    write(n=':ID,a\n1,say "hi"\n2,"\n')
    load(["n.csv"], dialect=Dialect(quote=""))
    assert [values for _, values in graph_of(Path("store"))[0]] == [{"a": 'say "hi"'}, {"a": '"'}]


def test_a_byte_order_mark() -> None:
    Path("n.csv").write_bytes(b"\xef\xbb\xbf:ID,a\n1,x\n")
    load(["n.csv"])
    assert graph_of(Path("store"))[0] == [([], {"a": "x"})]


def zipped(data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("inner.csv", data)
    return target.getvalue()


@pytest.mark.parametrize(
    ("ending", "compress"),
    [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress), ("zip", zipped)],
)
def test_compressed(ending: str, compress: Callable[[bytes], bytes]) -> None:
    Path(f"n.csv.{ending}").write_bytes(compress(PERSONS.encode()))
    assert load([f"Person=n.csv.{ending}"]).nodes == 2
    assert graph_of(Path("store"))[0][1] == (["Person"], {"id": "2", "name": "Bob"})


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("n.csv.gz", gzip.compress(PERSONS.encode() * 99)[:-20], "cannot read n.csv.gz"),
        ("n.csv.gz", b"plain", "cannot read n.csv.gz"),
        ("n.csv.xz", b"plain", "cannot read n.csv.xz"),
        ("n.csv.zip", b"plain", "cannot read n.csv.zip"),
        ("n.csv.zst", b"plain", "of compressed files, .gz, .bz2, .xz and .zip can be read"),
    ],
)
def test_compressed_files_that_are_broken(name: str, data: bytes, message: str) -> None:
    Path(name).write_bytes(data)
    with pytest.raises(ImportFailed) as caught:
        load([name])
    assert message in caught.value.message
    assert not Path("store").exists()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PERSONS.encode())))
    assert load(["Person=-"]).nodes == 2


def test_several_files_read_as_one() -> None:
    write(header=":ID,a\n", one="1,x\n2,y\n", two=":ID,a\n3,z\n", three="", four="4,q\nbad\n")
    report = load(["N=header.csv,one.csv,two.csv,three.csv,four.csv"], bad_tolerance=1)
    assert report.problems == ("four.csv:2: 1 fields instead of 2",)
    assert [values["a"] for _, values in graph_of(Path("store"))[0]] == ["x", "y", "z", "q"]


def test_files_by_pattern() -> None:
    write(part1=PERSONS, part2="3,Cid\n")
    assert load(["Person=part*.csv"]).nodes == 3


@pytest.mark.parametrize("text", ["Person=none.csv", "none*.csv", "Person=", ""])
def test_files_that_there_are_not(text: str) -> None:
    with pytest.raises(ImportFailed, match="no file"):
        load([text])


def test_indexes_and_constraints() -> None:
    write(n="id:ID,name,age:int\n1,Ann,3\n2,Ann,4\n")
    report = load(
        ["Person=n.csv"],
        indexes=(rule_of("Person(name, age)"),),
        constraints=(rule_of(" :Person (id) "),),
    )
    assert report.indexes == 2
    store = open_store(Path("store"), map_size=MAP_SIZE)
    with store.read() as read:
        found = {
            (read.schema.label_name(i.owner), *map(read.schema.property_name, i.properties)): i
            for i in read.schema.indexes
        }
        assert {name: index.unique for name, index in found.items()} == {
            ("Person", "name", "age"): False,
            ("Person", "id"): True,
        }
        seek = read.index_seek(found["Person", "name", "age"], [("Ann", 4)])
        assert seek.id.tolist() == [1]
    store.close()
    assert len(graph_of(Path("store"))[0]) == 2


def test_a_constraint_that_does_not_hold() -> None:
    write(n=":ID,name\n1,Ann\n2,Ann\n")
    with pytest.raises(CypherdError, match="`name` = 'Ann'"):
        load(["Person=n.csv"], constraints=(Rule("Person", ("name",)),))
    assert not Path("store").exists()


@pytest.mark.parametrize("text", ["Person", "Person()", "(name)", "Person(a,)"])
def test_rules_that_are_wrong(text: str) -> None:
    with pytest.raises(ImportFailed, match="should be like Person"):
        rule_of(text)


# --- folders without a manifest ---


def folder() -> ImportReport:
    return import_folder(Path("csv"), Path("store"), map_size=MAP_SIZE)


def write_folder(**files: str) -> None:
    Path("csv").mkdir()
    for name, text in files.items():
        (Path("csv") / f"{name}.csv").write_text(text, encoding="utf-8")


def test_a_folder_by_names() -> None:
    write_folder(
        Person="id:int,name\n1,Ann\n2,Bob\n",
        City="id,name\nB,Berlin\n",
        Person_KNOWS_Person="startId,endId,since:int\n1,2,1999\n",
        Person_LIVES_IN_City="startId,endId\n2,B\n",
    )
    assert folder().indexes == 2
    nodes, relationships = graph_of(Path("store"))
    assert nodes == [
        (["City"], {"id": "B", "name": "Berlin"}),
        (["Person"], {"id": 1, "name": "Ann"}),
        (["Person"], {"id": 2, "name": "Bob"}),
    ]
    assert relationships == [(1, "KNOWS", 2, {"since": 1999}), (2, "LIVES_IN", 0, {})]


def test_a_folder_by_headers() -> None:
    write_folder(Person="id:ID,name\n1,Ann\n2,Bob\n", KNOWS=KNOWS, notes=":ID,:LABEL\n3,Note\n")
    folder()
    nodes, relationships = graph_of(Path("store"))
    assert [labels for labels, _ in nodes] == [["Person"], ["Person"], ["Note"]]
    assert relationships == [(0, "KNOWS", 1, {"since": 1999})]


def test_types_by_names_of_marked_files() -> None:
    ends = ":START_ID,:END_ID\n1,2\n"
    write_folder(Person=":ID\n1\n2\n", IS_PART_OF=ends, Person_IS_A_Person=ends, KNOWS=ends)
    folder()
    _, relationships = graph_of(Path("store"))
    assert [type_ for _, type_, _, _ in relationships] == ["IS_PART_OF", "KNOWS", "IS_A"]


def test_a_folder_of_compressed_files() -> None:
    Path("csv").mkdir()
    Path("csv/Person.csv.gz").write_bytes(gzip.compress(b"id,name\n1,Ann\n"))
    folder()
    assert graph_of(Path("store"))[0] == [(["Person"], {"id": "1", "name": "Ann"})]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has neither a manifest.json nor any CSV file of nodes"),
        ({"Orders": "orderID,customer\n1,2\n"}, "Orders.csv: cannot tell what it holds"),
        ({"Person": "id\n1\n", "knows": "startId,endId\n1,1\n"}, "a name such as Person_KNOWS_"),
        ({"Person": "id\n1\n", "Person_R_City": "startId,endId\n1,1\n"}, "keys of the label City"),
    ],
    ids=["nothing", "no id", "no ends", "no such label"],
)
def test_folders_that_say_too_little(files: dict[str, str], message: str) -> None:
    write_folder(**files)
    with pytest.raises(ImportFailed) as caught:
        folder()
    assert message in caught.value.message
