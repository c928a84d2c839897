"""Audits of many models at once, each a cell of a grid; checkpoints of one training as a curve."""
