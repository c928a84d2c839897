"""`counterpoise catalog`: what can be measured, on what, with which models."""

from __future__ import annotations

from typing import Annotated

import typer

from counterpoise.cli import fetch, options, validate

app = typer.Typer(
    name="catalog", help="List measures, datasets, models and terms; check a file.", no_args_is_help=True
)


@app.command()
def measures() -> None:
    """List the measures: what each asks, what it needs, its ideal value."""
    from counterpoise.cli.measures_index import measures_index
    from counterpoise.report.terminal_table import print_table

    print_table(
        ["measure", "asks", "needs", "ideal", "suites"],
        [
            [
                measure["name"],
                measure["question"],
                ", ".join(measure["needs"]),
                measure["ideal"],
                measure["suites"],
            ]
            for measure in measures_index()["measures"]
        ],
    )


@app.command()
def datasets(data: options.Data = None) -> None:
    """List the datasets: built-in ones, and third-party ones with how to get them; and a model that can be fetched."""
    from counterpoise.data.spec import any_spec, spec_names
    from counterpoise.data.thirdparty.folders import place_of, using_data
    from counterpoise.data.thirdparty.sources import sources
    from counterpoise.report.terminal_table import print_table

    built_in = [
        [spec.name, "; ".join([spec.title, *_former_names(spec.name)]), spec.licence, "built in"]
        for spec in map(any_spec, spec_names())
        if spec.source is None
    ]
    with using_data(data):
        third_party, models = (
            [
                [
                    name,
                    source.title,
                    source.licence,
                    str(place_of(name) or f"catalog fetch {name}" + (" says how" if source.by_hand else "")),
                ]
                for name, source in sources().items()
                if source.kind == kind
            ]
            for kind in ("dataset", "model")
        )
    columns = ["dataset", "what", "licence", "where"]
    print_table(columns, built_in, "Built in")
    print_table(columns, third_party, "\nThird-party datasets")
    print_table(["model", *columns[1:]], models, "\nThird-party models")
    if both := sorted({row[0] for row in built_in} & {row[0] for row in third_party}):
        typer.echo(
            f"\n{' and '.join(both)} stand in both lists: the measures read what is built in; the others are files of "
            "the authors, for studies, translations and tests."
        )


def _former_names(name: str) -> list[str]:
    from counterpoise.data.aliases import former_names

    return [f"the name {former} works too" for former in former_names(name)]


app.command()(fetch.fetch)


@app.command()
def models() -> None:
    """List what can be loaded."""
    from counterpoise.measures.base.kinds import KINDS
    from counterpoise.report.terminal_table import print_table

    loaded_from = {
        "masked": "'builtin'; folders and hub names: BERT, DistilBERT, RoBERTa, ALBERT and other *ForMaskedLM",
        "causal": "folders and hub names: *ForCausalLM, *LMHeadModel, also quantised ones; LoRA adapters; GGUF files; "
        "'smollm2' once `catalog fetch smollm2` has fetched it",
        "encoder": "folders and hub names: *Model, sentence-transformers folders",
        "classifier": "folders and hub names: *ForSequenceClassification",
        "nli": "the same with the labels entailment, neutral and contradiction",
        "vectors": "files of GloVe, word2vec or fastText (.txt, .vec, .glove, .w2v, .bin; also .gz, .xz), "
        "arrays (.npy), what gensim saved (.kv)",
        "coreference": "module:function with --kind coreference; in Python also fastcoref models, spaCy pipelines",
        "answers": "module:function with --kind answers: a prompt and a seed in, a text out",
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
    from counterpoise.report.terminal_table import print_table
    from counterpoise.text.terms import BUILT_IN, load, table

    if name is None:
        print_table(["set", "pairs"], [[term_set, str(len(load(term_set).terms))] for term_set in BUILT_IN])
        return
    rows = table(name).astype(str)
    print_table(list(rows.columns), rows.to_numpy().tolist())


app.command()(validate.validate)
