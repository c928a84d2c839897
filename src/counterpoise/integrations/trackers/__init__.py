"""Experiment trackers: a finished audit as metrics, parameters and files of a run in MLflow, W&B or another."""
