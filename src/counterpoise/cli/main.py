"""`counterpoise`: joins the commands, and turns every mistake into one line and exit code 2.

What nobody foresaw is one line too, with exit code 1; its traceback is kept in a file that the line names.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from counterpoise.cli import (
    audit,
    cache,
    catalog,
    compare,
    corpus,
    debias,
    doctor,
    gate,
    report,
    serve,
    serve_model,
    study,
    swap,
    train,
)
from counterpoise.cli.traceback_file import keep_traceback
from counterpoise.core.errors import CounterpoiseError, in_one_line
from counterpoise.core.printable import printable
from counterpoise.core.version import __version__

app = typer.Typer(
    name="counterpoise",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"counterpoise {__version__}")
        raise typer.Exit()


@app.callback()
def counterpoise(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Measures gender bias in language models, says how sure it is, lowers the bias, and measures again.

    \b
    Examples:
      counterpoise audit                          audit the built-in model, offline
      counterpoise audit bert-base-uncased        audit a model of the hub
      counterpoise audit ./my-model --measures lpbs,ppd --out runs/mine
      counterpoise compare runs/before runs/after
      counterpoise gate runs/after --rule "abs(ppd.appd) <= 0.1" --baseline runs/before
      counterpoise swap reviews.csv --column review --to female -o female.csv
      counterpoise debias --corpus gap --out fairer
      counterpoise corpus old.txt new.txt         how biased is this text?
      counterpoise train reviews.csv --out my-classifier
      counterpoise study list                     the four papers, as studies
      counterpoise serve                          runs and sentences, in a browser
      counterpoise audit http://127.0.0.1:8080/v1 --model NAME         a model behind an endpoint
      counterpoise serve-model ./my-llm           a causal model behind an endpoint of your own
      counterpoise catalog measures               what can be measured
      counterpoise catalog fetch crows-pairs      get a dataset, checked
      counterpoise doctor                         is everything in place?
    """


app.command()(audit.audit)
app.command()(compare.compare)
app.command()(gate.gate)
app.command()(swap.swap)
app.command()(debias.debias)
app.command()(corpus.corpus)
app.command()(train.train)
app.command()(report.report)
app.add_typer(study.app)
app.command()(serve.serve)
app.command()(serve_model.serve_model)
app.add_typer(catalog.app)
app.add_typer(cache.app)
app.command()(doctor.doctor)


def main() -> None:
    """The entry point of the command line."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs a command and returns its exit code: 0, 1 where a check failed or the program itself did, 2 for a
    mistake, 3 where a check cannot tell, 130 for Ctrl-C."""
    if unreadable := next((text for text in arguments if "\0" in text), None):
        return _complain(f"{unreadable!r} has a zero byte, which no name of a file or value of an option has")
    try:
        code = app(arguments, standalone_mode=False)
    except CounterpoiseError as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(_describe(error))
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("counterpoise: stopped", err=True)
        return 130
    except Exception as error:
        # Typer's own errors: since some version they are no longer click's, so they are told by what they can do.
        if not hasattr(error, "format_message"):
            return _unforeseen(error, arguments)
        if type(error).__name__ == "NoArgsIsHelpError":  # no arguments at all: the message is the help
            typer.echo(error.format_message(), err=True)
            return 2
        return _complain(f"{error.format_message()} (see `counterpoise --help`)")
    return code if isinstance(code, int) else 0


def _complain(message: str) -> int:
    typer.echo(f"counterpoise: {printable(' '.join(message.split()))}", err=True)
    return 2


def _unforeseen(error: BaseException, arguments: list[str]) -> int:
    """The program's own mistake: one line that says where to find more."""
    kept = keep_traceback(error, arguments)
    where = f"the traceback is in {kept}" if kept else "its traceback could not be written to a file"
    _complain(f"an error in Counterpoise itself, please report it: {in_one_line(error)[:300]} ({where})")
    return 1


def _describe(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"
