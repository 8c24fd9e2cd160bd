"""TODO graph.domains"""
