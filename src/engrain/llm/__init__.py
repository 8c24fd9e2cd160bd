"""Language models: clients, calls within a budget, prompts, replies, and what models are asked for."""
