"""Self-play training of agents."""
