"""What every measure is made of: results and rows, their sources, settings, and the catalogue."""
