"""BBQ (Parrish et al. 2022): its items, generated from the authors' templates and vocabulary."""
