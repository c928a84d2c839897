"""A model in, a fairer model out.

Projections are split in three: how a direction is found (`directions`), what is done with it (`projections`), where it
is applied (`applying`).
"""
