"""Studies: grids of cells over factors, run on one machine or on Ray, and the published systems as such grids."""
