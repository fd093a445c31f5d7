"""The update streams as parameters of the update queries, and a model that counts what they do.

    person and forum stream --in order of time--> Update(number, parameters) --> Model.apply

The model reads the CSV files itself and knows nothing of cypherd: which ids are there by label,
how many nodes a label and relationships a type have. An update whose nodes are not all there does
nothing, as its MATCH finds no row; an UNWIND of an empty list ends an update there as well.
"""

from __future__ import annotations

import csv
import heapq
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ADD_PERSON, LIKE_POST, LIKE_COMMENT, ADD_FORUM, JOIN, ADD_POST, ADD_COMMENT, BEFRIEND = range(1, 9)

_FIELDS: dict[int, tuple[str, ...]] = {
    ADD_PERSON: ("#personId", "personFirstName", "personLastName", "gender", "#birthday",
                 "#creationDate", "locationIP", "browserUsed", "#cityId", ";languages", ";emails",
                 "#;tagIds", "#;,studyAt", "#;,workAt"),
    LIKE_POST: ("#personId", "#postId", "#creationDate"),
    LIKE_COMMENT: ("#personId", "#commentId", "#creationDate"),
    ADD_FORUM: ("#forumId", "forumTitle", "#creationDate", "#moderatorPersonId", "#;tagIds"),
    JOIN: ("#forumId", "#personId", "#joinDate"),
    ADD_POST: ("#postId", "imageFile", "#creationDate", "locationIP", "browserUsed", "language",
               "content", "#length", "#authorPersonId", "#forumId", "#countryId", "#;tagIds"),
    ADD_COMMENT: ("#commentId", "#creationDate", "locationIP", "browserUsed", "content", "#length",
                  "#authorPersonId", "#countryId", "#replyToPostId", "#replyToCommentId",
                  "#;tagIds"),
    BEFRIEND: ("#person1Id", "#person2Id", "#creationDate"),
}  # fmt: skip
"""Name of each field of an update; before it how its text is read: `#` integers, `;` a list,
`;,` a list of lists."""


class Update(NamedTuple):
    number: int
    parameters: dict[str, Any]


def updates(ldbc: Path) -> Iterator[Update]:
    """Both streams in the order of their times; a person before what happens at the same time."""
    folder = ldbc / "update_streams"
    files = (folder / "updateStream_0_0_person.csv", folder / "updateStream_0_0_forum.csv")
    for _, number, fields in heapq.merge(*map(_lines, files), key=lambda line: line[0]):
        names = _FIELDS[number]
        values = (_value(name, text) for name, text in zip(names, fields, strict=True))
        keys = (name.lstrip("#;,") for name in names)
        yield Update(number, dict(zip(keys, values, strict=True)))


def _lines(path: Path) -> Iterator[tuple[int, int, list[str]]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            time, _, number, *fields = line.rstrip("\n").split("|")
            yield int(time), int(number), fields


def _value(name: str, text: str) -> Any:
    kind: Any = int if name.startswith("#") else str
    separators = name[: len(name) - len(name.lstrip("#;,"))].lstrip("#")
    if not separators:
        return kind(text)
    items = text.split(";") if text else []
    if separators == ";":
        return [kind(item) for item in items]
    return [[kind(part) for part in item.split(",")] for item in items]


class Model:
    """`labels` and `types`: how many nodes and relationships there are of each."""

    def __init__(self, ldbc: Path) -> None:
        self.labels: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self._ids: dict[str, set[int]] = {}
        for entry in json.loads((ldbc / "manifest.json").read_text(encoding="utf-8")):
            for record in _records(ldbc / entry["file"]):
                if "type" in entry:
                    self.types[entry["type"]] += 1
                else:
                    self._add(int(record["id"]), *entry["labels"], *_second_label(record))

    def apply(self, update: Update) -> tuple[int, int]:
        """Do the update; how many nodes and relationships it made."""
        before = self.types.total()
        made = self._created(update.number, update.parameters)
        return made, self.types.total() - before

    def _created(self, number: int, given: dict[str, Any]) -> int:
        match number:
            case 1:
                return self._add_person(given)
            case 2:
                self._connect("LIKES", Person=given["personId"], Post=given["postId"])
            case 3:
                self._connect("LIKES", Person=given["personId"], Comment=given["commentId"])
            case 4:
                return self._add_forum(given)
            case 5:
                self._connect("HAS_MEMBER", Forum=given["forumId"], Person=given["personId"])
            case 6:
                return self._add_post(given)
            case 7:
                return self._add_comment(given)
            case 8:
                if self._are_there(Person=given["person1Id"]):
                    self._connect("KNOWS", Person=given["person2Id"])
        return 0

    def _add_person(self, given: dict[str, Any]) -> int:
        if not self._are_there(City=given["cityId"]):
            return 0
        self._add(given["personId"], "Person")
        self.types["IS_LOCATED_IN"] += 1
        if self._connect_all("HAS_INTEREST", "Tag", given["tagIds"]):
            places = [place for place, _ in given["studyAt"]]
            if self._connect_all("STUDY_AT", "Organisation", places):
                places = [place for place, _ in given["workAt"]]
                self._connect_all("WORKS_AT", "Organisation", places)
        return 1

    def _add_forum(self, given: dict[str, Any]) -> int:
        if not self._are_there(Person=given["moderatorPersonId"]):
            return 0
        self._add(given["forumId"], "Forum")
        self.types["HAS_MODERATOR"] += 1
        self._connect_all("HAS_TAG", "Tag", given["tagIds"])
        return 1

    def _add_post(self, given: dict[str, Any]) -> int:
        author, country = given["authorPersonId"], given["countryId"]
        if not self._are_there(Person=author, Country=country, Forum=given["forumId"]):
            return 0
        self._add(given["postId"], "Post", "Message")
        self.types.update(["HAS_CREATOR", "CONTAINER_OF", "IS_LOCATED_IN"])
        self._connect_all("HAS_TAG", "Tag", given["tagIds"])
        return 1

    def _add_comment(self, given: dict[str, Any]) -> int:
        # The one that is not meant is -1.
        replied = max(given["replyToPostId"], given["replyToCommentId"])
        author, country = given["authorPersonId"], given["countryId"]
        if not self._are_there(Person=author, Country=country, Message=replied):
            return 0
        self._add(given["commentId"], "Comment", "Message")
        self.types.update(["HAS_CREATOR", "REPLY_OF", "IS_LOCATED_IN"])
        self._connect_all("HAS_TAG", "Tag", given["tagIds"])
        return 1

    def _add(self, id_: int, *labels: str) -> None:
        for label in labels:
            self.labels[label] += 1
            self._ids.setdefault(label, set()).add(id_)

    def _are_there(self, **ids: int) -> bool:
        return all(id_ in self._ids[label] for label, id_ in ids.items())

    def _connect(self, type_: str, **ends: int) -> None:
        self.types[type_] += self._are_there(**ends)

    def _connect_all(self, type_: str, label: str, ids: list[int]) -> int:
        """How many were found."""
        found = sum(id_ in self._ids[label] for id_ in ids)
        self.types[type_] += found
        return found


def _records(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def _second_label(record: dict[str, str]) -> list[str]:
    return [record["label"]] if record.get("label") else []
