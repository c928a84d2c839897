"""What all replications share: reading the study's table, comparing with the paper, findings, the page."""
