"""Jentzsch & Turan (2022): where does a sentiment classifier's gender bias come from?"""
