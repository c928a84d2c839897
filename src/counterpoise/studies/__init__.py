"""The papers, reproduced: published beside measured."""
