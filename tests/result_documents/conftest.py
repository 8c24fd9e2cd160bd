"""The results that the tests of this room share: made once, for nothing changes them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.result_documents.results import Case, results


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Case]:
    """Results of every operation."""
    return results(tmp_path_factory.mktemp("results"))
