"""Bartl, Nissim and Gatt (2020), Unmasking Contextual Stereotypes: BEC-Pro, and BERT before and after swapped GAP."""
