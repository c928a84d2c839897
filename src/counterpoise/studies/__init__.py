"""Studies: grids of cells over factors, run on one machine or on Ray, and the four papers as such grids."""
