from __future__ import annotations

from collections.abc import Iterator

import pytest

from cypherd.storage.protocols import ReadTransaction
from tests.plans.sample import open_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadTransaction]:
    """A snapshot of the sample graph."""
    store = open_sample(tmp_path_factory.mktemp("planner") / "store")
    with store.read() as transaction:
        yield transaction
    store.close()
