"""The version of Counterpoise. It has a module of its own, so that no package needs to import the top-level one."""

__version__ = "0.1.0"
