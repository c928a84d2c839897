"""Shared by the log probability bias scores."""
