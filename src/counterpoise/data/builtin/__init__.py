"""Data that come with Counterpoise: what the specs in `data/specs` hold, as tables and sentences."""
