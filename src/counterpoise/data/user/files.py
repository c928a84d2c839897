"""Files that users bring to measure on, each an option of `counterpoise audit` and an argument of `counterpoise.audit`.

A measure says which of them it accepts; what is read of the file becomes one of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from counterpoise.data.builtin.associations import read_associations
from counterpoise.data.builtin.decisions import read_decision_templates
from counterpoise.data.builtin.gender_words import read_gender_words
from counterpoise.data.builtin.inference import read_inference_templates
from counterpoise.data.builtin.pairs import read_pairs
from counterpoise.data.builtin.prompts import read_prompts
from counterpoise.data.builtin.templates import read_templates
from counterpoise.data.builtin.wordsets import read_word_sets
from counterpoise.data.spec import Variant
from counterpoise.data.user.lexicons import read_lexicon
from counterpoise.data.user.name_tables import read_names_table
from counterpoise.data.user.texts import read_texts


@dataclass(frozen=True)
class Reading:
    """How files are read: the variant, and the columns of a table of texts (`text`, `label`, `gender`)."""

    variant: Variant = "corrected"
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class UserFile:
    """A kind of file: its name in Python and as an option, what `--help` says of it, and how it is read.

    `parameter` is that of the measure which takes what was read. A table may also be a dataset (hf:NAME) or a folder.
    """

    name: str
    help: str
    read: Callable[[Any, Reading], Any]
    parameter: str = "data"
    is_table: bool = False

    @property
    def option(self) -> str:
        """
        >>> GENDER_WORDS.option
        '--gender-words'
        """
        return f"--{self.name.replace('_', '-')}"


PAIRS = UserFile(
    "pairs",
    "Sentence pairs of your own: CSV, TSV, JSONL or Parquet, or hf:NAME, with columns stereotyped and counterpart, and "
    "category if you like.",
    lambda path, how: read_pairs(path),
    is_table=True,
)
TEMPLATES = UserFile(
    "templates",
    "Templates of your own: a YAML file with words and sentences (docs/templates.md).",
    lambda path, how: read_templates(path, how.variant),
)
INFERENCE_TEMPLATES = UserFile(
    "inference_templates",
    "Templates, gendered words and occupations of your own: a YAML file (docs/classifiers.md).",
    lambda path, how: read_inference_templates(path),
)
DECISION_TEMPLATES = UserFile(
    "decision_templates",
    "Yes-or-no cases of your own: a YAML file (docs/generation.md).",
    lambda path, how: read_decision_templates(path),
)
ASSOCIATIONS = UserFile(
    "associations",
    "Association tests of your own: a YAML file with groups of words and sentences (docs/associations.md).",
    lambda path, how: read_associations(path, how.variant),
)
WORDS = UserFile(
    "words",
    "Word sets of your own: a YAML file, or a CSV file of translations (docs/vectors.md).",
    lambda path, how: read_word_sets(path),
)
GENDER_WORDS = UserFile(
    "gender_words",
    "Gendered pairs and neutral words of your own: a YAML file.",
    lambda path, how: read_gender_words(path),
)
CORPUS = UserFile(
    "corpus",
    "Natural sentences: text, CSV, TSV, JSONL or Parquet, or a folder of such files.",
    lambda path, how: path,
)
TEXTS = UserFile(
    "texts",
    "Texts of your own: CSV, TSV, JSONL or Parquet, a folder, or hf:NAME[:SPLIT[:COLUMN]] (docs/hub.md); see --column, "
    "--label and --gender.",
    lambda path, how: read_texts(
        path, how.columns.get("text"), how.columns.get("label"), how.columns.get("gender")
    ),
    is_table=True,
)
NAMES_TABLE = UserFile(
    "names_table",
    "Names by gender and another attribute of people: CSV, TSV, JSONL or Parquet, or hf:NAME, with columns name, "
    "gender and group (docs/classifiers.md).",
    lambda path, how: read_names_table(path),
    parameter="names_table",
    is_table=True,
)
LEXICON = UserFile(
    "lexicon",
    "Hurtful words of your own: a text file with a word on each line, or CSV or TSV with columns word and category.",
    lambda path, how: read_lexicon(path),
    parameter="lexicon",
)
PROMPTS = UserFile(
    "prompts",
    "Prompts of your own: a text file with one on each line, or CSV, TSV, JSONL or Parquet, or hf:NAME, with a column "
    "prompt, and topic if you like.",
    lambda path, how: read_prompts(path),
    is_table=True,
)
