"""What models are measured on: built-in data from specs, third-party datasets, and files that users bring."""

from typing import TYPE_CHECKING, Any

from counterpoise.data.aliases import ALIASES
from counterpoise.data.builtin.associations import Associations, kurita, read_associations
from counterpoise.data.builtin.becpro import becpro, becpro_both_forms
from counterpoise.data.builtin.decisions import (
    DecisionTemplates,
    decision_templates,
    read_decision_templates,
)
from counterpoise.data.builtin.declared_pronouns import DeclaredPronouns, declared_pronouns
from counterpoise.data.builtin.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.data.builtin.inference import (
    InferenceTemplates,
    inference_checks,
    inference_templates,
    read_inference_templates,
)
from counterpoise.data.builtin.neutral import fill_sentences, neutral_texts
from counterpoise.data.builtin.pairs import Pairs, read_pairs, stereotype_pairs
from counterpoise.data.builtin.prompts import Prompts, counterfactual_prompts, read_prompts
from counterpoise.data.builtin.seat import seat_sentences
from counterpoise.data.builtin.templates import Templates, pronoun_templates, read_templates
from counterpoise.data.builtin.toxicity_templates import toxicity_templates
from counterpoise.data.builtin.wordsets import WordTest, WordTests, read_word_sets, translate, weat
from counterpoise.data.builtin.workforce import workforce
from counterpoise.data.citations import bibtex
from counterpoise.data.corpus import Corpus
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.texts import Texts
from counterpoise.data.thirdparty.bbq.dataset import bbq
from counterpoise.data.thirdparty.crows import CrowsPairs, crows_pairs
from counterpoise.data.thirdparty.edos import edos
from counterpoise.data.thirdparty.eec import eec
from counterpoise.data.thirdparty.fetch import fetch
from counterpoise.data.thirdparty.gap import gap
from counterpoise.data.thirdparty.gest import gest
from counterpoise.data.thirdparty.imdb import imdb
from counterpoise.data.thirdparty.jigsaw import jigsaw, jigsaw_thesis
from counterpoise.data.thirdparty.kurita_attributes import job_titles, skills, traits
from counterpoise.data.thirdparty.mt_gender import mt_gender
from counterpoise.data.thirdparty.stereoset import StereoSet, stereoset
from counterpoise.data.thirdparty.table_specs import third_party_table
from counterpoise.data.thirdparty.winobias import winobias
from counterpoise.data.thirdparty.winobias_mentions import winobias_mentions
from counterpoise.data.thirdparty.winogender import winogender, winogender_mentions
from counterpoise.data.user.name_tables import NamesTable, read_names_table
from counterpoise.data.user.texts import edos_texts, imdb_texts, read_texts

__all__ = [
    "Associations",
    "Corpus",
    "CrowsPairs",
    "DecisionTemplates",
    "DeclaredPronouns",
    "GenderWords",
    "InferenceTemplates",
    "NamesTable",
    "Pairs",
    "Prompts",
    "StereoSet",
    "Templates",
    "Texts",
    "WordTest",
    "WordTests",
    "bbq",
    "becpro",
    "becpro_both_forms",
    "bibtex",
    "citation",
    "counterfactual_prompts",
    "crows_pairs",
    "decision_templates",
    "declared_pronouns",
    "edos",
    "edos_texts",
    "eec",
    "fetch",
    "fill_sentences",
    "gap",
    "gender_words",
    "gest",
    "imdb",
    "imdb_texts",
    "inference_checks",
    "inference_templates",
    "jigsaw",
    "jigsaw_thesis",
    "job_titles",
    "kurita",
    "mt_gender",
    "neutral_texts",
    "pronoun_templates",
    "read_associations",
    "read_decision_templates",
    "read_gender_words",
    "read_inference_templates",
    "read_names_table",
    "read_pairs",
    "read_prompts",
    "read_spec",
    "read_templates",
    "read_texts",
    "read_word_sets",
    "seat_sentences",
    "skills",
    "spec_names",
    "stereoset",
    "stereotype_pairs",
    "third_party_table",
    "toxicity_templates",
    "traits",
    "translate",
    "weat",
    "winobias",
    "winobias_mentions",
    "winogender",
    "winogender_mentions",
    "workforce",
]

if not TYPE_CHECKING:  # a type checker would otherwise take any name for one that is here

    def __getattr__(name: str) -> Any:
        """Former names, such as `tbd`."""
        if name in ALIASES:
            return globals()[ALIASES[name]]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
