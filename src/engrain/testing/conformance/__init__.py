"""Every behaviour of a store, stated once: the suite that each engine runs, and that you may run on yours."""

from engrain.testing.conformance.concurrency import ConsistentReads, Freshness, Processes
from engrain.testing.conformance.durability import Closing, Durability, Erasure
from engrain.testing.conformance.filters import Filters
from engrain.testing.conformance.graph import Graph
from engrain.testing.conformance.histories import Histories
from engrain.testing.conformance.isolation import Isolation, Orgs
from engrain.testing.conformance.rows import Conversations, ExactRecords, Listing, OtherRows, RecordRows
from engrain.testing.conformance.text import RankingColumns, Sessions, TextSearch
from engrain.testing.conformance.transactions import Atomicity, Jobs, Uniqueness
from engrain.testing.conformance.vectors import VectorSearch

__all__ = ["OneStoreConformance", "StoreConformance"]


class OneStoreConformance(
    RecordRows,
    Listing,
    OtherRows,
    Conversations,
    ExactRecords,
    Filters,
    Isolation,
    Orgs,
    TextSearch,
    Sessions,
    RankingColumns,
    VectorSearch,
    Histories,
    Atomicity,
    Uniqueness,
    Jobs,
    Graph,
    Closing,
):
    """The tests of any store, including one that lives in a single object's memory."""


class StoreConformance(OneStoreConformance, ConsistentReads, Durability, Freshness, Erasure, Processes):
    """Everything: also what several stores and processes on one place may rely on."""
