"""Every command refuses a path that is not UTF-8 in one sentence, whichever option or argument has it."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from fathom.cli.main import cli, main

PATH = "caf\udce9/x"


def commands(group: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield words, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, (*words, name))


def path_parameters() -> Iterator[tuple[str, ...]]:
    for words, command in commands(cli):
        for parameter in command.params:
            if isinstance(parameter.type, click.Path):
                yield (*words, parameter.opts[0], PATH) if isinstance(parameter, click.Option) else (*words, PATH)


def test_paths_are_found_in_all_commands() -> None:
    found = list(path_parameters())
    assert len(found) > 40
    assert {words[0] for words in found} >= {"ingest", "generate", "build", "run", "score", "analyze", "report", "show"}
    assert ("build", "numeric", PATH) in found


@pytest.mark.parametrize("words", sorted(set(path_parameters())), ids=lambda words: " ".join(words[:-1]))
def test_an_undecodable_path_is_refused_in_one_sentence(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "fathom: Cannot use 'caf\\udce9/x': the name is not UTF-8. Rename it, then try again.\n"


def test_other_options_refuse_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "bench", "-S", f"file={PATH}"]) == 2
    assert "not UTF-8" in capsys.readouterr().err
