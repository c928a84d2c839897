"""`counterpoise catalog`: what can be measured, on what, with which models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterpoise.cli import fetch, options

app = typer.Typer(
    name="catalog", help="List measures, data sets, models and terms; check a file.", no_args_is_help=True
)


@app.command()
def measures() -> None:
    """List the measures: what each asks, what it needs, its ideal value."""
    from counterpoise.measures.catalogue import all_measures
    from counterpoise.report.terminal import print_table

    print_table(
        ["measure", "asks", "needs", "ideal", "suites"],
        [
            [found.name, found.question, ", ".join(found.needs), found.ideal.text, ", ".join(found.suites)]
            for found in all_measures().values()
        ],
    )


@app.command()
def datasets(data: options.Data = None) -> None:
    """List the data sets: those that come with Counterpoise, and those of others, with how to get them."""
    from counterpoise.data.folders import place_of, using_data
    from counterpoise.data.sources import sources
    from counterpoise.data.spec import any_spec, spec_names
    from counterpoise.report.terminal import print_table

    own = [
        [spec.name, spec.title, spec.licence, "built in"]
        for spec in map(any_spec, spec_names())
        if spec.source is None
    ]
    with using_data(data):
        others = [
            [
                name,
                source.title,
                source.licence,
                str(place_of(name) or f"catalog fetch {name}" + (" says how" if source.by_hand else "")),
            ]
            for name, source in sources().items()
        ]
    print_table(["data set", "what", "licence", "where"], own + others)


app.command()(fetch.fetch)


@app.command()
def models() -> None:
    """List what can be loaded."""
    from counterpoise.measures.catalogue import KINDS
    from counterpoise.report.terminal import print_table

    loaded_from = {
        "masked": "'builtin'; folders and hub names: BERT, DistilBERT, RoBERTa, ALBERT and other *ForMaskedLM",
        "causal": "folders and hub names: *ForCausalLM, *LMHeadModel; GGUF files",
        "encoder": "folders and hub names: *Model, sentence-transformers folders",
        "classifier": "folders and hub names: *ForSequenceClassification",
        "vectors": "text files of GloVe, word2vec or fastText (.txt, .vec)",
    }
    print_table(
        ["kind", "what", "from"], [[kind, KINDS[kind], source] for kind, source in loaded_from.items()]
    )


@app.command()
def terms(
    name: Annotated[
        str | None, typer.Argument(help="pro, weat, all, german, or a file; without it, the sets are listed.")
    ] = None,
) -> None:
    """List the sets of gendered word pairs, or the pairs of one set.

    \b
    Examples:
      counterpoise catalog terms
      counterpoise catalog terms weat
    """
    from counterpoise.report.terminal import print_table
    from counterpoise.text.terms import BUILT_IN, load, table

    if name is None:
        print_table(["set", "pairs"], [[known, str(len(load(known).terms))] for known in BUILT_IN])
        return
    rows = table(name).astype(str)
    print_table(list(rows.columns), rows.to_numpy().tolist())


@app.command()
def validate(
    file: Annotated[
        Path,
        typer.Argument(
            help="A YAML file of templates, as in the specs, or a CSV, TSV, JSONL or Parquet file of pairs."
        ),
    ],
) -> None:
    """Check a file of your own templates or sentence pairs.

    \b
    Examples:
      counterpoise catalog validate my-templates.yaml
      counterpoise catalog validate my-pairs.csv
    """
    from counterpoise.data.pairs import PAIR_FILES

    found = _pairs_in(file) if file.suffix.lower() in PAIR_FILES else _templates_in(file)
    typer.echo(f"{file}: {found}")


def _templates_in(file: Path) -> str:
    from counterpoise.data.templates import read_templates

    sentences = read_templates(file).fill()
    return f"{len(sentences)} sentences, {sentences.word.nunique()} words, e.g. {sentences.text[0]!r}"


def _pairs_in(file: Path) -> str:
    """Says how many pairs can be measured, and what is wrong with the others."""
    from counterpoise.core.errors import DataError
    from counterpoise.data.pairs import read_pairs

    pairs = read_pairs(file)
    good = [problem is None for problem in pairs.problems()]
    if not any(good):
        raise DataError(f"{file}: none of the {len(good)} pairs can be measured ({pairs.problems()[0]})")
    table = pairs.table[good].reset_index(drop=True)
    lines = [
        f"{len(table)} pairs, {table.category.nunique()} categories, "
        f"e.g. {table.stereotyped[0]!r} and {table.counterpart[0]!r}"
    ]
    lines += [
        f"  pair {number} will be skipped: {problem}"
        for number, problem in enumerate(pairs.problems(), start=1)
        if problem
    ]
    return "\n".join(lines)
