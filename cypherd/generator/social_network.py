"""A made-up social network: the graph of `cypherd generate`, of `make run` and of load tests.

    Person -KNOWS-> Person            heavy-tailed, from the later member to the earlier one
    Person -STUDY_AT-> University -IS_LOCATED_IN-> City
    Person -WORKS_AT-> Company -IS_LOCATED_IN-> Country
    Person -IS_LOCATED_IN-> City -IS_PART_OF-> Country

The same seed and size give the same graph. People are made in batches; of these only node ids and
creation dates are kept (16 bytes a person).
Dates are milliseconds since 1970.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from cypherd.generator.names import COMPANY_WORDS, COUNTRIES, Country
from cypherd.generator.sinks import Progress, Relationships, Sink, csv_sink, store_sink
from cypherd.settings import TIB

BATCH = 5_000
DAY = 24 * 3600 * 1000
FIRST_DAY = 14_610 * DAY  # 2010-01-01
DAYS = 1_095
BROWSERS = ("Firefox", "Chrome", "Internet Explorer", "Safari", "Opera")
COMPANIES_A_COUNTRY = 12
SPREAD = 0.9
"""Sigma of the log-normal number of people that a new member knows: a heavy tail."""
MOST_KNOWN = 1_000


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
    with store_sink(store_path, map_size, progress) as sink:
        return _Network(sink, random.Random(seed), knows).make(persons, progress)


def write_social_network(
    folder: Path,
    *,
    persons: int,
    seed: int = 1,
    knows: float | None = None,
    progress: Progress | None = None,
) -> GeneratorReport:
    """Write the network as CSV files, which `cypherd import` takes, into a new folder. Raises
    StoreError where that cannot be made."""
    with csv_sink(folder) as sink:
        return _Network(sink, random.Random(seed), knows).make(persons, progress)


@dataclass(slots=True)
class _Place:
    """A country's nodes."""

    country: Country
    node: int
    cities: list[int] = field(default_factory=list)
    universities: list[int] = field(default_factory=list)
    companies: list[int] = field(default_factory=list)


class _Network:
    def __init__(self, sink: Sink, chance: random.Random, knows: float | None) -> None:
        self._sink = sink
        self._chance = chance
        self._mean_known = None if knows is None else knows / 2
        self._nodes = 0
        self._relationships = 0
        self._knows = 0
        self._people = array("q")
        self._joined = array("q")

    def make(self, persons: int, progress: Progress | None) -> GeneratorReport:
        places = [self._make_country(country) for country in COUNTRIES]
        weights = list(accumulate(place.country.weight for place in places))
        for first in range(0, persons, BATCH):
            count = min(BATCH, persons - first)
            self._make_people(first, count, persons, (places, weights))
            if progress is not None:
                progress("persons", first + count, persons)
        return GeneratorReport(persons, self._nodes, self._relationships, self._knows)

    # --- places ---

    def _make_country(self, country: Country) -> _Place:
        (node,) = self._named("Country", [country.name])
        place = _Place(country, node)
        links = Relationships()
        place.cities = self._named("City", country.cities)
        for city in place.cities:
            links.add("IS_PART_OF", city, node, {})
        schools = [f"University of {city}" for city in country.cities]
        place.universities = self._named("University", schools)
        for university, city in zip(place.universities, place.cities, strict=True):
            links.add("IS_LOCATED_IN", university, city, {})
        place.companies = self._named("Company", self._company_names(country))
        for company in place.companies:
            links.add("IS_LOCATED_IN", company, node, {})
        self._link(links)
        return place

    def _company_names(self, country: Country) -> list[str]:
        chosen = self._chance.sample(COMPANY_WORDS, COMPANIES_A_COUNTRY)
        return [f"{self._chance.choice(country.cities)} {word}" for word in chosen]

    def _named(self, label: str, names: Sequence[str]) -> list[int]:
        return self._create(label, [{"id": i, "name": name} for i, name in enumerate(names)])

    # --- people ---

    def _make_people(
        self, first: int, count: int, persons: int, where: tuple[list[_Place], list[int]]
    ) -> None:
        places, weights = where
        homes = self._chance.choices(places, cum_weights=weights, k=count)
        joined = [self._join_date(first + i, persons) for i in range(count)]
        properties = [
            self._person(first + i, home, when)
            for i, (home, when) in enumerate(zip(homes, joined, strict=True))
        ]
        self._people.extend(self._create("Person", properties))
        self._joined.extend(joined)
        links = Relationships()
        for i, home in enumerate(homes):
            self._add_links(links, first + i, home, places)
        self._link(links)

    def _join_date(self, number: int, persons: int) -> int:
        """People join in the order of their numbers, spread over three years."""
        day = int(DAYS * (number + self._chance.random()) / persons)
        return FIRST_DAY + day * DAY + self._chance.randrange(DAY)

    def _person(self, number: int, home: _Place, joined: int) -> dict[str, Any]:
        chance, country = self._chance, home.country
        female = chance.random() < 0.5
        birthday = 3_650 * DAY + chance.randrange(7_300) * DAY  # 1980 to 1999
        return {
            "id": number,
            "firstName": self._skewed(country.female if female else country.male),
            "lastName": self._skewed(country.surnames),
            "gender": "female" if female else "male",
            "birthday": birthday,
            "creationDate": joined,
            "browserUsed": self._skewed(BROWSERS),
            "locationIP": ".".join(str(part) for part in self._address(country)),
        }

    def _skewed(self, names: Sequence[str]) -> str:
        """Names near the front come more often: the square of a uniform number."""
        return names[int(len(names) * self._chance.random() ** 2)]

    def _address(self, country: Country) -> Iterator[int]:
        yield country.network
        yield from (self._chance.randrange(1, 255) for _ in range(3))

    def _add_links(
        self, links: Relationships, number: int, home: _Place, places: list[_Place]
    ) -> None:
        chance, node = self._chance, self._people[number]
        links.add("IS_LOCATED_IN", node, chance.choice(home.cities), {})
        left_school = 1998 + chance.randrange(20)
        if chance.random() < 0.8:
            university = chance.choice(home.universities)
            links.add("STUDY_AT", node, university, {"classYear": left_school})
        for company in self._employers(home, places):
            since = left_school + chance.randrange(8)
            links.add("WORKS_AT", node, company, {"workFrom": since})
        acquaintances = self._acquaintances(number)
        self._knows += len(acquaintances)
        for other in sorted(acquaintances):
            since = max(self._joined[number], self._joined[other]) + chance.randrange(30 * DAY)
            properties = {"creationDate": since}
            links.add("KNOWS", node, self._people[other], properties)

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

    def _create(self, label: str, properties: Sequence[Mapping[str, Any]]) -> list[int]:
        self._nodes += len(properties)
        return list(self._sink.nodes(label, properties))

    def _link(self, links: Relationships) -> None:
        self._sink.relationships(links)
        self._relationships += len(links.types)
