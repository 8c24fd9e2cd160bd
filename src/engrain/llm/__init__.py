"""Language models: who is asked (named), on whose account (asking, budget), in what words (prompts), for what."""
