"""What replications share: tables of published beside measured numbers, and verdicts."""
