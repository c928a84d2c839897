"""Models behind an HTTP endpoint: what the server can do, and how it is asked."""
