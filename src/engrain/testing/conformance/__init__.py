"""Every behaviour of a store, said once: the suite that each engine runs, and that you may run on yours."""

from engrain.testing.conformance.durability import Closing, Durability, Snapshots
from engrain.testing.conformance.erasing import Erasing, Names
from engrain.testing.conformance.filters import Filters, MetadataFilters
from engrain.testing.conformance.graph import GraphVerbs
from engrain.testing.conformance.jobs import Jobs
from engrain.testing.conformance.lifecycle import Lifecycle
from engrain.testing.conformance.orgs import Orgs
from engrain.testing.conformance.processes import Processes
from engrain.testing.conformance.rows import Listing, OtherRows, RecordRows
from engrain.testing.conformance.sharing import Freshness, Isolation
from engrain.testing.conformance.talks import Talks
from engrain.testing.conformance.text import RankingColumns, SessionSearch, TextSearch
from engrain.testing.conformance.vectors import VectorSearch
from engrain.testing.conformance.walls import Walls
from engrain.testing.conformance.writing import Atomicity, Uniqueness

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
