"""The command line: one file per verb, each of which reads options, calls the library and prints.

A verb is a module of this folder with ``HELP`` (one line), ``configure(parser)`` and ``run(args) -> exit code``, and
with ``INTERRUPTED`` where the same command does not simply go on; an underscore in its name is typed as a hyphen.
Verb modules import nothing heavy at the top, so that ``--help`` answers at once.
Results go to stdout, talk and errors to stderr. Exit codes: 0 complete, 1 failed, 2 wrong usage,
3 incomplete, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import re
import sys
from collections.abc import Sequence

from mrarebench_hf import __version__, registry
from mrarebench_hf.errors import MRareBenchError, UsageError

__all__ = ["main"]

_INTERRUPTED = "the same command again takes up where it stopped"
_KEY_OPTION = re.compile(r"--?((openai|judge|model|hf|api)[-_]?)*(key|token|secret)(=|$)", re.IGNORECASE)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code; a user's mistake prints one message and no traceback."""
    interrupted = _INTERRUPTED
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without our characters must not end a finished run
            stream.reconfigure(errors="backslashreplace")
    try:
        _refuse_keys(words)
        parser = _parser()
        args = parser.parse_args(words)
        if args.verb is None:
            parser.print_help()
            return 2
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s", stream=sys.stderr)
        logging.getLogger("mrarebench_hf").setLevel(logging.DEBUG if args.verbose else logging.INFO)
        interrupted = args.interrupted
        code: int = args.run(args)
        return code
    except MRareBenchError as error:
        print(f"mrarebench: error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"mrarebench: interrupted; {interrupted}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _refuse_keys(words: Sequence[str]) -> None:
    for word in words:
        if _KEY_OPTION.match(word):
            name = word.split("=")[0]
            raise UsageError(
                f"{name} is not taken on the command line, where other users and shell histories see it: "
                "set the environment variable (for example OPENAI_API_KEY) instead"
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mrarebench", description="Evaluate vision-language models on MRareBench and MedVision."
    )
    parser.add_argument("--version", action="version", version=f"mrarebench-hf {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    for name in registry.names(__name__):
        module = registry.load(__name__, name, kind="verb")
        verb = verbs.add_parser(
            name.replace("_", "-"),
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        verb.add_argument("--verbose", action="store_true", help="log more")
        module.configure(verb)
        verb.set_defaults(run=module.run, interrupted=getattr(module, "INTERRUPTED", _INTERRUPTED))
    return parser
