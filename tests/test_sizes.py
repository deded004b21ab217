"""Files, functions and parameter lists stay small; so do files of tests, and those of recorded cases most of all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from .source import SRC, name_of, source_files, tree_of

TESTS = Path(__file__).parent
MOST_LINES = 600
LEAST_LINES = 40
"""Of a private file: what is shorter is part of an idea, and belongs into the file of that idea."""
MOST_SHORT_FILES = 57
"""Files that are shorter, public modules excepted: of these each is a name of the interface, such as a provider in 22 lines. This
number may only shrink."""
MOST_LINES_OF_CASES = 400
MOST_LINES_OF_CALLS = 350
"""In `_calls/`, which every reader of a run goes through: files there are short."""
MOST_FUNCTION_LINES = 80
MOST_PARAMETERS = 10
MOST_ANY = 30  # in 1,000 lines; it may only shrink

# What mirrors a public signature, spelled in this one place. It may have more parameters, and of its lines only those of
# the body count. The table may only name what needs it.
MIRRORED = {
    'agent/_agent.py::Agent.__init__',
    'durable_exec/temporal/_agent.py::TemporalAgent.__init__',
    'mcp/_servers.py::MCPServer.__init__',
    'mcp/_toolset.py::MCPToolset.__init__',
    'tools/_tool.py::Tool.__init__',
    'toolsets/function.py::FunctionToolset.__init__',
    'usage.py::UsageLimits.__init__',
    'toolsets/function.py::FunctionToolset.add_function',
}

# Private files that are short for a reason.
SHORT = {
    '__main__.py': '`python -m stead` runs it',
    '_aliased/capabilities.py': 'a module whose classes the alias puts into modules of others, one file a room',
    '_cli/__main__.py': '`python -m stead._cli` runs it',
    '_cli/parser.py': 'the parser of all commands, and why it is not that of a library',
    '_contracts/_mypy_forms.py': 'what only mypy sees, with the reason',
    '_kit/sqlite.py': 'what journals and caches do with a file, and neither lies above the other',
    '_kit/unset.py': 'a marker that signatures name',
    '_kit/version.py': 'it loads the metadata of packages, which few programs read',
    '_kit/warnings.py': 'filters of programs name classes of warnings by this module',
    'agent/_runs.py': 'a late module: results of runs, which importing `Agent` must not load',
    'agent/_tracing.py': 'a late module: settings of tracing, which most agents never load',
    'graph/_host.py': 'the only code of graphs that looks at frames of the caller',
    'journal/_agents.py': 'types of agents, which journals and their workers share, and agents lie above both',
    'journal/_places.py': 'the only place that knows all stores that a path or URL names; each store knows itself',
    'models/anthropic/_adapters.py': 'it imports the SDK of Anthropic, which the package must not load',
    'models/openai/_sdk_names.py': 'it imports the SDK of OpenAI, which the package must not load',
    'toolsets/_capability_owned.py': 'a late module, by whose path other packages import its class through the alias',
    'ui/web/_ag_ui.py': 'it needs the extra `ag-ui`, without which the web server works',
}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function with its name, `FILE::QUALNAME`."""
    for path in source_files():
        yield from inside(tree_of(path), f'{name_of(path)}::')


def inside(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, child
        named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        yield from inside(child, f'{prefix}{child.name}.' if named else prefix)


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len(names) - (names[:1] in (['self'], ['cls']))


def lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    start = node.body[1 if ast.get_docstring(node) and len(node.body) > 1 else 0]
    return (node.end_lineno or node.lineno) - start.lineno + 1


def test_files_are_short() -> None:
    long = [
        f'{path.relative_to(SRC)}: {count} lines'
        for path in source_files()
        if (count := len(path.read_text(encoding='utf-8').splitlines()))
        > (MOST_LINES_OF_CALLS if name_of(path).startswith('_calls/') else MOST_LINES)
    ]
    assert not long, '\n'.join(long)


def short_files() -> set[str]:
    """Return the files that are short: private ones, and those of packages."""
    return {
        name
        for path in source_files()
        if ('/_' in f'/{(name := name_of(path))}') and len(path.read_text(encoding='utf-8').splitlines()) < LEAST_LINES
    }


def test_private_files_are_ideas() -> None:
    private = {name for name in short_files() if not name.endswith('__init__.py')}
    crumbs = private - SHORT.keys()
    assert not crumbs, f'shorter than {LEAST_LINES} lines: find the file that each is a part of: {sorted(crumbs)}'
    assert not SHORT.keys() - private, f'no longer short, so take them off the list: {sorted(SHORT.keys() - private)}'


def test_few_files_are_short() -> None:
    short = short_files()
    assert len(short) <= MOST_SHORT_FILES, f'{len(short)} files are shorter than {LEAST_LINES} lines: {sorted(short)}'


def test_files_of_tests_are_short() -> None:
    counts = {path: len(path.read_text(encoding='utf-8').splitlines()) for path in sorted(TESTS.rglob('*.py'))}
    long = [
        f'{path.relative_to(TESTS)}: {count} lines'
        for path, count in counts.items()
        if count > (MOST_LINES_OF_CASES if path.match('_*_cases.py') else MOST_LINES)
    ]
    assert not long, '\n'.join(long)


def test_functions_are_short() -> None:
    counts = {name: body_lines(node) if name in MIRRORED else lines(node) for name, node in functions()}
    long = [f'{name}: {count} lines' for name, count in counts.items() if count > MOST_FUNCTION_LINES]
    assert not long, '\n'.join(long)


def test_parameter_lists_are_short() -> None:
    long = [
        f'{name}: {count} parameters'
        for name, node in functions()
        if (count := parameters(node)) > MOST_PARAMETERS and name not in MIRRORED
    ]
    assert not long, '\n'.join(long)


def test_exceptions_are_needed() -> None:
    needed = {name for name, node in functions() if parameters(node) > MOST_PARAMETERS}
    assert not MIRRORED - needed, f'take these off the table: {sorted(MIRRORED - needed)}'


def test_complexity_is_not_waived() -> None:
    waiver = re.compile(r'#\s*(ruff:\s*)?noqa(?!:)|#.*noqa:.*(C90|PLR09)')
    wrong = [
        f'{path.relative_to(SRC)}:{number}'
        for path in source_files()
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1)
        if waiver.search(line)
    ]
    assert not wrong, '\n'.join(wrong)


def test_any_is_rare() -> None:
    sources = [path.read_text(encoding='utf-8') for path in source_files()]
    count = sum(len(re.findall(r'\bAny\b', source)) for source in sources)
    lines = sum(len(source.splitlines()) for source in sources)
    assert count / lines * 1000 <= MOST_ANY, f'{count} in {lines} lines: give what is new a type'


WORDS_OF_LISTINGS = r'\b(tools_version|shared_tools|_last_shared|static_tools|listing_version|delegates_to_all)\b'


def test_toolsets_say_in_few_words_that_their_tools_are_unchanged() -> None:
    found = [
        f'{name_of(path)} {word[0]}'
        for path in source_files()
        for word in re.finditer(WORDS_OF_LISTINGS, path.read_text(encoding='utf-8'))
    ]
    assert len(found) <= 20, found


def test_a_wrapper_of_toolsets_is_short() -> None:
    tree = tree_of(SRC / 'toolsets' / 'prefixed.py')
    wrapper = next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    first = min(node.lineno for node in (wrapper, *wrapper.decorator_list))
    assert (wrapper.end_lineno or 0) - first + 1 <= 25
