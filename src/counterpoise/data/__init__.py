"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.becpro import becpro
from counterpoise.data.crows import CrowsPairs, crows_pairs
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.stereoset import StereoSet, stereoset
from counterpoise.data.templates import Templates, read_templates, tbd

__all__ = [
    "CrowsPairs",
    "Pairs",
    "StereoSet",
    "Templates",
    "becpro",
    "citation",
    "crows_pairs",
    "read_pairs",
    "read_spec",
    "read_templates",
    "spec_names",
    "stereoset",
    "tbd",
    "tgb",
]
