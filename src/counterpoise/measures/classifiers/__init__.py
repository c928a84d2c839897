"""Classifiers: are texts rated differently when they are about men and about women?"""
