"""How what was remembered is kept: embedded, exported, copied, audited, configured."""
