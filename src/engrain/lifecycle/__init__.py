"""The lifecycle of memories: retention sweeps, consolidation into facts, reflection, procedures."""
