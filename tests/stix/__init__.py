"""Threat intelligence in and out as STIX 2.1."""
