"""The four publications as studies."""
