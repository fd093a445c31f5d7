"""Every procedure that a query can call, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cypherd.procedures import database, running, schema, server
from cypherd.procedures.signature import Procedure

MODULES = (database, schema, server, running)


class Procedures:
    """Procedures by name, which is written as it is here: case counts, as in Neo4j."""

    def __init__(self, procedures: Iterable[Procedure]) -> None:
        self._by_name = {procedure.name: procedure for procedure in procedures}

    def find(self, name: str) -> Procedure | None:
        return self._by_name.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._by_name))

    def __iter__(self) -> Iterator[Procedure]:
        """In order of their names."""
        return (self._by_name[name] for name in self.names())

    def with_more(self, procedures: Iterable[Procedure]) -> Procedures:
        """These and more; of the same name the later one."""
        return Procedures([*self._by_name.values(), *procedures])


BUILT_IN = Procedures(procedure for module in MODULES for procedure in module.FAMILY.procedures)
