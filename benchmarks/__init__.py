"""Measurements of the library: quality on labelled data, speed beside the machine's limits, other systems.

`python -m benchmarks` is the command line. Nothing of this is part of the installed package.
"""
