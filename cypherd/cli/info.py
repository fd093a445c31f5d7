"""`cypherd info`."""

from __future__ import annotations

import json
from typing import Any

from cypherd.cli.options import AsJson, Config, Store, settings_from
from cypherd.cli.stores import open_store_of


def info(
    store: Store = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show what a store holds: labels, types, counts and indexes.

    Example: cypherd info --store data/graph
    """
    settings = settings_from(config, store=store)
    with open_store_of(settings, create=False).read() as transaction:
        schema, counts = transaction.schema, transaction.counts
        found: dict[str, Any] = {
            "nodes": counts.nodes(),
            "relationships": counts.relationships(),
            "labels": {name: counts.nodes(schema.label_id(name)) for name in schema.label_names()},
            "types": {
                name: counts.relationships(schema.type_id(name)) for name in schema.type_names()
            },
            "indexes": [index.name for index in schema.indexes],
        }
    if as_json:
        print(json.dumps(found))
        return
    print(f"nodes {found['nodes']:,}\nrelationships {found['relationships']:,}")
    for title in ("labels", "types"):
        for name, count in found[title].items():
            print(f"  {title[:-1]} {name}: {count:,}")
    for name in found["indexes"]:
        print(f"  index {name}")
