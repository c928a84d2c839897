"""Counterpoise inside other tools. Each module is imported by its tool only, when that tool is used."""
