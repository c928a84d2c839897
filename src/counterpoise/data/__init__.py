"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.associations import Associations, kurita, read_associations
from counterpoise.data.attributes import job_titles, skills, traits
from counterpoise.data.becpro import becpro, becpro_both_forms
from counterpoise.data.contexts import Corpus
from counterpoise.data.corpora import TextCorpus
from counterpoise.data.corpus_words import CorpusWords
from counterpoise.data.crows import CrowsPairs, crows_pairs
from counterpoise.data.eec import eec
from counterpoise.data.fetch import fetch
from counterpoise.data.gap import gap
from counterpoise.data.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.data.imdb import imdb
from counterpoise.data.jigsaw import jigsaw, jigsaw_thesis
from counterpoise.data.mt_gender import mt_gender
from counterpoise.data.neutral import fill_sentences, neutral_texts
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.seat import seat_sentences
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.stereoset import StereoSet, stereoset
from counterpoise.data.templates import Templates, read_templates, tbd
from counterpoise.data.texts import Texts, imdb_texts, read_texts
from counterpoise.data.winobias import winobias
from counterpoise.data.winogender import winogender
from counterpoise.data.wordsets import WordTest, WordTests, read_word_sets, translate, weat
from counterpoise.data.workforce import workforce

__all__ = [
    "Associations",
    "Corpus",
    "CorpusWords",
    "CrowsPairs",
    "GenderWords",
    "Pairs",
    "StereoSet",
    "Templates",
    "TextCorpus",
    "Texts",
    "WordTest",
    "WordTests",
    "becpro",
    "becpro_both_forms",
    "citation",
    "crows_pairs",
    "eec",
    "fetch",
    "fill_sentences",
    "gap",
    "gender_words",
    "imdb",
    "imdb_texts",
    "jigsaw",
    "jigsaw_thesis",
    "job_titles",
    "kurita",
    "mt_gender",
    "neutral_texts",
    "read_associations",
    "read_gender_words",
    "read_pairs",
    "read_spec",
    "read_templates",
    "read_texts",
    "read_word_sets",
    "seat_sentences",
    "skills",
    "spec_names",
    "stereoset",
    "tbd",
    "tgb",
    "traits",
    "translate",
    "weat",
    "winobias",
    "winogender",
    "workforce",
]
