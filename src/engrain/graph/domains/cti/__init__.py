"""The pack for threat intelligence: indicators, groups, software, campaigns, and how reports relate them."""

from __future__ import annotations

from engrain.graph.domains.cti.pack import CTI as CTI
