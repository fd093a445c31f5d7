"""A made-up social network: the graph of `cypherd generate`, of `make run` and of load tests.

    Person -KNOWS-> Person            heavy-tailed, from the later member to the earlier one
    Person -STUDY_AT-> University -IS_LOCATED_IN-> City
    Person -WORKS_AT-> Company -IS_LOCATED_IN-> Country
    Person -IS_LOCATED_IN-> City -IS_PART_OF-> Country

The same seed and size give the same graph. People are made in batches, a commit each; only
their node ids and creation dates are kept (16 bytes a person), so memory stays flat.
Dates are milliseconds since 1970.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cypherd.errors import StoreError
from cypherd.generator.names import COMPANY_WORDS, COUNTRIES, Country
from cypherd.settings import TIB
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore, WriteTransaction

Progress = Callable[[str, int, int], None]
"""Called with what is made, how many so far, and of how many."""

BATCH = 5_000
DAY = 24 * 3600 * 1000
FIRST_DAY = 14_610 * DAY  # 2010-01-01
DAYS = 1_095
BROWSERS = ("Firefox", "Chrome", "Internet Explorer", "Safari", "Opera")
COMPANIES_A_COUNTRY = 12
SPREAD = 0.9
"""Sigma of the log-normal number of people that a new member knows: a heavy tail."""
MOST_KNOWN = 1_000
TYPES = ("KNOWS", "STUDY_AT", "WORKS_AT", "IS_LOCATED_IN", "IS_PART_OF")
KEYS = (
    "id", "firstName", "lastName", "birthday", "creationDate", "gender", "browserUsed",
    "locationIP", "name", "classYear", "workFrom",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GeneratorReport:
    """What was made."""

    persons: int
    nodes: int
    relationships: int
    knows: int
    """How many of the relationships are KNOWS; each is one of both of its persons."""


def generate_social_network(
    store_path: Path,
    *,
    persons: int,
    seed: int = 1,
    knows: float | None = None,
    map_size: int = 1 * TIB,
    progress: Progress | None = None,
) -> GeneratorReport:
    """Make the network in a new store.

    `knows` is the mean number of KNOWS of a person, in both directions together, that is,
    2 * KNOWS / persons. How they spread stays log-normal, so most have fewer and a few have many;
    among few persons it comes out lower, since nobody knows another one twice.

    Raises StoreError when the store is in use, already holds nodes or cannot be made,
    StorageFull past `map_size`.
    """
    try:
        store_path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the store folder {store_path}: {error}") from error
    with StoreLock(store_path):
        store = open_store(store_path, map_size=map_size, create=True)
        try:
            return _Network(store, random.Random(seed), knows).make(persons, progress)
        finally:
            store.close()


@dataclass(slots=True)
class _Relationships:
    """Relationships of one batch, as columns."""

    types: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    properties: list[dict[int, Any]] = field(default_factory=list)

    def add(self, type_: int, start: int, end: int, properties: dict[int, Any]) -> None:
        self.types.append(type_)
        self.starts.append(start)
        self.ends.append(end)
        self.properties.append(properties)


@dataclass(slots=True)
class _Place:
    """A country's nodes."""

    country: Country
    node: int
    cities: list[int] = field(default_factory=list)
    universities: list[int] = field(default_factory=list)
    companies: list[int] = field(default_factory=list)


class _Network:
    def __init__(self, store: GraphStore, chance: random.Random, knows: float | None) -> None:
        self._store = store
        self._chance = chance
        self._mean_known = None if knows is None else knows / 2
        self._nodes = 0
        self._relationships = 0
        self._knows = 0
        self._people = array("q")
        self._joined = array("q")
        self._types: dict[str, int] = {}
        self._keys: dict[str, int] = {}

    def make(self, persons: int, progress: Progress | None) -> GeneratorReport:
        places = self._make_places()
        for first in range(0, persons, BATCH):
            count = min(BATCH, persons - first)
            self._make_people(first, count, persons, places)
            if progress is not None:
                progress("persons", first + count, persons)
        return GeneratorReport(persons, self._nodes, self._relationships, self._knows)

    # --- places ---

    def _make_places(self) -> list[_Place]:
        transaction = self._store.write()
        with transaction:
            if transaction.counts.nodes():
                raise StoreError("the store already holds a graph; generate needs a new one")
            self._make_schema(transaction)
            places = [self._make_country(transaction, country) for country in COUNTRIES]
            transaction.commit()
        return places

    def _make_schema(self, transaction: WriteTransaction) -> None:
        self._types = {name: transaction.type_token(name) for name in TYPES}
        self._keys = {name: transaction.property_token(name) for name in KEYS}
        person = transaction.label_token("Person")
        for key in ("id", "firstName"):
            name = f"person_{key.lower()}"
            transaction.create_index(name, "node", person, (self._keys[key],))

    def _make_country(self, transaction: WriteTransaction, country: Country) -> _Place:
        (node,) = self._named(transaction, "Country", [country.name])
        place = _Place(country, node)
        links = _Relationships()
        located, part = self._types["IS_LOCATED_IN"], self._types["IS_PART_OF"]
        place.cities = self._named(transaction, "City", country.cities)
        for city in place.cities:
            links.add(part, city, node, {})
        schools = [f"University of {city}" for city in country.cities]
        place.universities = self._named(transaction, "University", schools)
        for university, city in zip(place.universities, place.cities, strict=True):
            links.add(located, university, city, {})
        place.companies = self._named(transaction, "Company", self._company_names(country))
        for company in place.companies:
            links.add(located, company, node, {})
        self._link(transaction, links)
        return place

    def _company_names(self, country: Country) -> list[str]:
        chosen = self._chance.sample(COMPANY_WORDS, COMPANIES_A_COUNTRY)
        return [f"{self._chance.choice(country.cities)} {word}" for word in chosen]

    def _named(self, transaction: WriteTransaction, label: str, names: Sequence[str]) -> list[int]:
        token = transaction.label_token(label)
        properties = [{self._keys["id"]: i, self._keys["name"]: n} for i, n in enumerate(names)]
        return self._create(transaction, token, properties)

    # --- people ---

    def _make_people(self, first: int, count: int, persons: int, places: list[_Place]) -> None:
        transaction = self._store.write()
        with transaction:
            homes = [self._home(places) for _ in range(count)]
            joined = [self._join_date(first + i, persons) for i in range(count)]
            properties = [
                self._person(first + i, home, when)
                for i, (home, when) in enumerate(zip(homes, joined, strict=True))
            ]
            nodes = self._create(transaction, transaction.label_token("Person"), properties)
            self._people.extend(nodes)
            self._joined.extend(joined)
            links = _Relationships()
            for i, home in enumerate(homes):
                self._add_links(links, first + i, home, places)
            self._link(transaction, links)
            transaction.commit()

    def _home(self, places: list[_Place]) -> _Place:
        return self._chance.choices(places, [place.country.weight for place in places])[0]

    def _join_date(self, number: int, persons: int) -> int:
        """People join in the order of their numbers, spread over three years."""
        day = int(DAYS * (number + self._chance.random()) / persons)
        return FIRST_DAY + day * DAY + self._chance.randrange(DAY)

    def _person(self, number: int, home: _Place, joined: int) -> dict[int, Any]:
        chance, country = self._chance, home.country
        female = chance.random() < 0.5
        birthday = 3_650 * DAY + chance.randrange(7_300) * DAY  # 1980 to 1999
        values = {
            "id": number,
            "firstName": self._skewed(country.female if female else country.male),
            "lastName": self._skewed(country.surnames),
            "gender": "female" if female else "male",
            "birthday": birthday,
            "creationDate": joined,
            "browserUsed": self._skewed(BROWSERS),
            "locationIP": ".".join(str(part) for part in self._address(country)),
        }
        return {self._keys[name]: value for name, value in values.items()}

    def _skewed(self, names: Sequence[str]) -> str:
        """Names near the front come more often: the square of a uniform number."""
        return names[int(len(names) * self._chance.random() ** 2)]

    def _address(self, country: Country) -> Iterator[int]:
        yield country.network
        yield from (self._chance.randrange(1, 255) for _ in range(3))

    def _add_links(
        self, links: _Relationships, number: int, home: _Place, places: list[_Place]
    ) -> None:
        chance, node, keys = self._chance, self._people[number], self._keys
        links.add(self._types["IS_LOCATED_IN"], node, chance.choice(home.cities), {})
        left_school = 1998 + chance.randrange(20)
        if chance.random() < 0.8:
            university = chance.choice(home.universities)
            links.add(self._types["STUDY_AT"], node, university, {keys["classYear"]: left_school})
        for company in self._employers(home, places):
            since = left_school + chance.randrange(8)
            links.add(self._types["WORKS_AT"], node, company, {keys["workFrom"]: since})
        acquaintances = self._acquaintances(number)
        self._knows += len(acquaintances)
        for other in sorted(acquaintances):
            since = max(self._joined[number], self._joined[other]) + chance.randrange(30 * DAY)
            properties = {keys["creationDate"]: since}
            links.add(self._types["KNOWS"], node, self._people[other], properties)

    def _employers(self, home: _Place, places: list[_Place]) -> list[int]:
        """None to three different companies, one in five of them abroad."""
        chance = self._chance
        count = chance.choices((0, 1, 2, 3), (10, 50, 30, 10))[0]
        where = [chance.choice(places) if chance.random() < 0.2 else home for _ in range(count)]
        return sorted({chance.choice(place.companies) for place in where})

    def _acquaintances(self, number: int) -> set[int]:
        """Numbers of earlier people. How many is log-normal; half are of about the same time,
        half are drawn with a density of x ** -0.5, which makes early people hubs."""
        chance = self._chance
        wanted, tries = self._wanted(number)
        chosen: set[int] = set()
        for _ in range(tries):
            if len(chosen) == wanted:
                break
            if chance.random() < 0.5:
                other = number - 1 - int(chance.expovariate(1 / 40))
            else:
                other = int(number * chance.random() ** 2)
            if other >= 0:
                chosen.add(other)
        return chosen

    def _wanted(self, number: int) -> tuple[int, int]:
        """How many earlier people a new member knows, and how often to draw one: somebody drawn
        twice is made up for only where a mean was asked for."""
        chance = self._chance
        if self._mean_known is None:
            wanted = min(int(chance.lognormvariate(1.8, SPREAD)), number, MOST_KNOWN)
            return wanted, wanted
        middle = math.log(self._mean_known) - SPREAD**2 / 2  # the mean is exp(mu + sigma^2 / 2)
        rounded = int(chance.lognormvariate(middle, SPREAD) + chance.random())
        wanted = min(rounded, number, MOST_KNOWN)
        return wanted, 4 * wanted

    # --- writing ---

    def _create(
        self, transaction: WriteTransaction, label: int, properties: Sequence[Mapping[int, Any]]
    ) -> list[int]:
        nodes = transaction.create_nodes([(label,)] * len(properties), properties)
        self._nodes += len(nodes)
        return [int(node) for node in nodes]

    def _link(self, transaction: WriteTransaction, links: _Relationships) -> None:
        starts = np.array(links.starts, dtype=np.int64)
        ends = np.array(links.ends, dtype=np.int64)
        transaction.create_relationships(links.types, starts, ends, links.properties)
        self._relationships += len(starts)
