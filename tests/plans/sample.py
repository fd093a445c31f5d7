"""The graph whose plans are checked in: small, but with counts that make choices plain.

200 Person -[:KNOWS]-> the next 3          index on firstName (20 different), unique on id
each Person -[:LIVES_IN]-> 1 of 10 City    no index
each Person -[:WORKS_AT]-> 1 of 40 Company index on (name, country)
each City  -[:IN]-> 1 of 2 Country
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore, WriteTransaction

PERSONS, CITIES, COMPANIES, COUNTRIES = 200, 10, 40, 2


def open_sample(folder: Path) -> GraphStore:
    """The sample graph in a new store."""
    store = open_store(folder, map_size=1 << 28, create=True)
    transaction = store.write()
    _fill(transaction)
    transaction.commit()
    return store


def _fill(transaction: WriteTransaction) -> None:
    key = {
        name: transaction.property_token(name)
        for name in ("id", "name", "firstName", "age", "country")
    }
    person, city, company, country = (
        transaction.label_token(name) for name in ("Person", "City", "Company", "Country")
    )
    persons = transaction.create_nodes(
        [(person,)] * PERSONS,
        [
            {key["id"]: i, key["firstName"]: f"first{i % 20}", key["age"]: i % 90}
            for i in range(PERSONS)
        ],
    )
    cities = transaction.create_nodes(
        [(city,)] * CITIES, [{key["name"]: f"city{i}"} for i in range(CITIES)]
    )
    companies = transaction.create_nodes(
        [(company,)] * COMPANIES,
        [{key["name"]: f"company{i}", key["country"]: f"c{i % 2}"} for i in range(COMPANIES)],
    )
    countries = transaction.create_nodes(
        [(country,)] * COUNTRIES, [{key["name"]: f"country{i}"} for i in range(COUNTRIES)]
    )
    _relate(transaction, "KNOWS", persons, np.roll(persons, -1))
    _relate(transaction, "KNOWS", persons, np.roll(persons, -2))
    _relate(transaction, "KNOWS", persons, np.roll(persons, -3))
    _relate(transaction, "LIVES_IN", persons, cities)
    _relate(transaction, "WORKS_AT", persons, companies)
    _relate(transaction, "IN", cities, countries)
    transaction.create_index(None, "node", person, (key["firstName"],))
    transaction.create_constraint("person_id", "uniqueness", "node", person, (key["id"],))
    transaction.create_index(None, "node", company, (key["name"], key["country"]))


def _relate(
    transaction: WriteTransaction,
    name: str,
    starts: np.ndarray[tuple[int], np.dtype[np.int64]],
    ends: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> None:
    """Each of `starts` to one of `ends`, in turn."""
    type_ = transaction.type_token(name)
    chosen = ends[np.arange(len(starts)) % len(ends)]
    transaction.create_relationships([type_] * len(starts), starts, chosen, [{}] * len(starts))
