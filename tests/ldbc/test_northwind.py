"""Northwind, from its CSV files by a script of LOAD CSV, on the command line; what is counted by
Cypher is counted once more from the files."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parent / "northwind.cypher"
Ask = Callable[[str], list[list[Any]]]


@pytest.fixture(scope="module")
def files(shared: Path) -> Path:
    return shared / "data" / "northwind"


@pytest.fixture(scope="module")
def ask(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    store = tmp_path_factory.mktemp("northwind") / "store"
    environment = {
        **os.environ, "CYPHERD_IMPORT_FOLDER": str(files), "CYPHERD_MAP_SIZE": "256MiB"
    }  # fmt: skip

    def cypherd(*arguments: str | Path) -> str:
        command = [sys.executable, "-m", "cypherd", "query", "--store", str(store)]
        done = subprocess.run(
            [*command, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    cypherd("--file", SCRIPT)
    return lambda query: json.loads(cypherd("--format", "json", query))["data"]


def _read(files: Path, name: str) -> list[dict[str, str]]:
    with (files / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_counts(files: Path, ask: Ask) -> None:
    nodes = {
        "Product": "products", "Category": "categories", "Supplier": "suppliers",
        "Customer": "customers", "Employee": "employees", "Order": "orders",
    }  # fmt: skip
    expected = {label: len(_read(files, name)) for label, name in nodes.items()}
    counted = ask("MATCH (n) RETURN labels(n)[0] AS label, count(*) AS count")
    assert dict(map(tuple, counted)) == expected
    products, employees = _read(files, "products"), _read(files, "employees")
    customers = {row["customerID"] for row in _read(files, "customers")}
    orders = [row for row in _read(files, "orders") if row["customerID"] in customers]
    assert dict(map(tuple, ask("MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS count"))) == {
        "PART_OF": len(products),
        "SUPPLIES": len(products),
        "REPORTS_TO": sum(row["reportsTo"] not in ("", "NULL") for row in employees),
        "PURCHASED": len(orders),
        "SOLD": len(orders),
        "ORDERS": len({(r["orderID"], r["productID"]) for r in _read(files, "order-details")}),
    }


def test_values(files: Path, ask: Ask) -> None:
    categories = {row["categoryID"]: row["categoryName"] for row in _read(files, "categories")}
    category = {row["productID"]: categories[row["categoryID"]] for row in _read(files, "products")}
    sold: Counter[str] = Counter()
    for row in _read(files, "order-details"):
        sold[category[row["productID"]]] += int(row["quantity"])
    query = (
        "MATCH (:Order)-[o:ORDERS]->(:Product)-[:PART_OF]->(c:Category) "
        "RETURN c.categoryName AS category, sum(o.quantity) AS sold"
    )
    assert dict(map(tuple, ask(query))) == sold
    regions = {
        row["customerID"]: row["region"]
        for row in _read(files, "customers")
        if row["region"] != "NULL"
    }
    found = ask("MATCH (c:Customer) WHERE c.region IS NOT NULL RETURN c.customerID, c.region")
    assert dict(map(tuple, found)) == regions
