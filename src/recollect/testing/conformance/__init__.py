"""Every behaviour of a store, said once: the suite that each engine runs, and that you may run on yours."""

from recollect.testing.conformance.durability import Closing, Durability, Snapshots
from recollect.testing.conformance.erasing import Erasing, Names
from recollect.testing.conformance.filters import Filters, MetadataFilters
from recollect.testing.conformance.graph import GraphVerbs
from recollect.testing.conformance.jobs import Jobs
from recollect.testing.conformance.lifecycle import Lifecycle
from recollect.testing.conformance.orgs import Orgs
from recollect.testing.conformance.processes import Processes
from recollect.testing.conformance.rows import Listing, OtherRows, RecordRows
from recollect.testing.conformance.sharing import Freshness, Isolation
from recollect.testing.conformance.talks import Talks
from recollect.testing.conformance.text import RankingColumns, SessionSearch, TextSearch
from recollect.testing.conformance.vectors import VectorSearch
from recollect.testing.conformance.walls import Walls
from recollect.testing.conformance.writing import Atomicity, Uniqueness

__all__ = ["OneStoreConformance", "StoreConformance"]


class OneStoreConformance(
    RecordRows,
    Listing,
    OtherRows,
    MetadataFilters,
    Walls,
    Orgs,
    TextSearch,
    SessionSearch,
    RankingColumns,
    VectorSearch,
    Atomicity,
    Uniqueness,
    Jobs,
    GraphVerbs,
    Talks,
    Lifecycle,
    Names,
    Closing,
    Filters,
):
    """What holds for any store, one that lives in a single object's memory included."""


class StoreConformance(OneStoreConformance, Isolation, Durability, Freshness, Snapshots, Erasing, Processes):
    """Everything: also what several stores and processes on one place may rely on."""
