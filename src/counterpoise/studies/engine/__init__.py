"""Studies as grids of cells: the definition, its plan, the folder, local processes and Ray, the runner."""
