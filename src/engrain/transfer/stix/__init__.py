"""Threat intelligence as STIX 2.1 bundles: in as memories with what they are about, out as objects again."""
