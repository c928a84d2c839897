"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.associations import Associations, kurita, read_associations
from counterpoise.data.attributes import job_titles, skills, traits
from counterpoise.data.becpro import becpro, becpro_both_forms
from counterpoise.data.eec import eec
from counterpoise.data.fetch import fetch
from counterpoise.data.gap import gap
from counterpoise.data.imdb import imdb
from counterpoise.data.jigsaw import jigsaw
from counterpoise.data.mt_gender import mt_gender
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.templates import Templates, read_templates, tbd
from counterpoise.data.texts import Texts, imdb_texts, read_texts
from counterpoise.data.workforce import workforce

__all__ = [
    "Associations",
    "Pairs",
    "Templates",
    "Texts",
    "becpro",
    "becpro_both_forms",
    "citation",
    "eec",
    "fetch",
    "gap",
    "imdb",
    "imdb_texts",
    "jigsaw",
    "job_titles",
    "kurita",
    "mt_gender",
    "read_associations",
    "read_pairs",
    "read_spec",
    "read_templates",
    "read_texts",
    "skills",
    "spec_names",
    "tbd",
    "tgb",
    "traits",
    "workforce",
]
