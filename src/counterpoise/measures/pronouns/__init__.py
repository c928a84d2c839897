"""Pronouns: which one does a model expect for a profession, and to whom does it think one refers?"""
