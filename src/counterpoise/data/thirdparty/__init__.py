"""Third-party datasets: where they are published, how they are fetched and checked, and a loader for each."""
