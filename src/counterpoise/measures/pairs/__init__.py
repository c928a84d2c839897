"""Pairs of sentences: does a model prefer the stereotype to its counterpart?"""
