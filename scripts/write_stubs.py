"""Write what type checkers read and Python derives by itself: `python scripts/write_stubs.py`, or `make stubs`.

Three sources, each written once, and what is written from them:

- The tables of the packages whose names load on first use, and their annotated constants: the `.pyi` beside each of their
  `__init__.py`.
- The hook table, and the signatures in `AbstractCapability`: `capabilities/_hook_functions.py`, which is the types of
  functions that are registered as hooks, and the attributes of `HookChain`.
- The `TypedDict`s of options: what the docstrings of the functions list that take them. For the ways to run an agent this stands
  in the stubs of `agent/abstract.py` and `agent/_agent.py`, with their overloads.

With `--check` it writes nothing, and fails if something is out of date.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

if __package__:
    from .module_stubs import module_stub
    from .option_docs import options_of, with_options
else:
    from module_stubs import module_stub
    from option_docs import options_of, with_options

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'src' / 'stead'
LINE_LENGTH = 120
LAZY = 'lazy_exports'
HELPERS = (LAZY, 'lazy_modules', 'late_modules')
ROOMS = (
    '',
    'agent',
    'capabilities',
    'common_tools',
    'embeddings',
    'evals',
    'evals/evaluators',
    'ext',
    'graph',
    'messages',
    'toolsets',
    'ui/vercel_ai',
    'budgets',
    'caches',
    'conversation',
    'testing',
    'workspaces',
)
STUBS = [PACKAGE / room / '__init__.pyi' for room in ROOMS]


# Imports, in the order and format that ruff wants


def _kind_and_name(name: str) -> tuple[int, str, str]:
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower(), name


def _import_order(module: str) -> tuple[int, int, str]:
    level = len(module) - len(module.lstrip('.'))
    standard = module.partition('.')[0] in sys.stdlib_module_names
    return (2 if level else 0 if standard else 1), -level, module


def import_lines(names: dict[str, str], *, exported: bool = False) -> str:
    """Return import statements.

    Args:
        names: The module of each name.
        exported: Whether type checkers are to take the names for names of this module.
    """
    modules: dict[str, list[str]] = {}
    for name in sorted(names, key=_kind_and_name):
        modules.setdefault(names[name], []).append(f'{name} as {name}' if exported else name)
    blocks: dict[int, list[str]] = {}
    for module in sorted(modules, key=_import_order):
        line = f'from {module} import {", ".join(modules[module])}'
        if len(line) > LINE_LENGTH:
            line = '\n'.join((f'from {module} import (', *(f'    {name},' for name in modules[module]), ')'))
        blocks.setdefault(_import_order(module)[0], []).append(line)
    return '\n\n'.join('\n'.join(lines) for lines in blocks.values())


# Stubs of packages whose names load on first use


def exported_names(init: Path) -> dict[str, str]:
    """Return the module of each public name of a package: names in its table, and names that it imports at once."""
    tree = ast.parse(init.read_text(encoding='utf-8'))
    assigned = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == LAZY:
            names.update({name: f'.{module}' for module, row in _table(node.args[1], assigned).items() for name in row})
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            module = '.' * node.level + (node.module or '')
            names.update({alias.name: module for alias in node.names if alias.name not in HELPERS})
    return names


def _table(node: ast.expr, assigned: dict[str, ast.expr]) -> dict[str, tuple[str, ...]]:
    """Return a dictionary of literals, in which other such dictionaries may be unpacked."""
    if isinstance(node, ast.Name):
        return _table(assigned[node.id], assigned)
    rows: dict[str, tuple[str, ...]] = {}
    assert isinstance(node, ast.Dict)
    for key, value in zip(node.keys, node.values):
        rows.update(_table(value, assigned) if key is None else {ast.literal_eval(key): ast.literal_eval(value)})
    return rows


def stub(init: Path) -> str:
    """Return the stub of a package."""
    package = '.'.join(init.parent.relative_to(PACKAGE.parent).parts)
    lines = [
        f'"""The public names of `{package}`, for type checkers. Written by `make stubs`."""',
        '',
        import_lines(exported_names(init), exported=True),
    ]
    tree = ast.parse(init.read_text(encoding='utf-8'))
    if declared := [node for node in tree.body if isinstance(node, ast.AnnAssign)]:
        lines += ['', *(f'{ast.unparse(node.target)}: {ast.unparse(node.annotation)}' for node in declared)]
    return '\n'.join(lines) + '\n'


# Hooks


class Method(NamedTuple):
    """The signature of a hook."""

    positional: list[str]
    named: list[str]
    returns: str


class Interface(NamedTuple):
    """What `AbstractCapability` says."""

    methods: dict[str, Method]
    modules: dict[str, str]
    """Where the types in its signatures come from, as seen from another package."""


def interface() -> Interface:
    """Read the signatures of `AbstractCapability`, and where their types come from."""
    tree = ast.parse((PACKAGE / '_contracts' / 'capability.py').read_text(encoding='utf-8'))
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = '.' * node.level + (node.module or '')
            here = module if node.level != 1 else f'.._contracts{module}'
            modules.update({alias.name: here for alias in node.names})
    modules.update(
        {
            node.target.id: '.._contracts.capability'
            for node in tree.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
    )
    base = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == 'AbstractCapability')
    methods = {
        node.name: _method(node) for node in base.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    return Interface(methods, modules)


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Method:
    def parameter(arg: ast.arg) -> str:
        return f'{arg.arg}: {_annotation(arg.annotation)}'

    positional = [parameter(arg) for arg in node.args.args[1:]]
    return Method(positional, [parameter(arg) for arg in node.args.kwonlyargs], _annotation(node.returns))


def _annotation(node: ast.expr | None) -> str:
    return ast.unparse(node).replace('AgentDepsT', 'Any') if node is not None else 'Any'


class HookFunction(NamedTuple):
    """The type of functions for a hook."""

    hook: str
    """The name of the method."""
    name: str
    """The name at `Hooks.on`."""
    about: str
    signature: str
    decorator: str

    @property
    def type(self) -> str:
        """The name of the protocol."""
        return ''.join(word.title() for word in self.hook.split('_')) + 'HookFunc'


def hook_functions(found: Interface) -> list[HookFunction]:
    """Return the types of functions for all hooks, in the order of the table."""
    sys.path.insert(0, str(PACKAGE.parent))
    from stead.capabilities._hook_decorators import REGISTERED_HOOKS, TOOL_HOOKS

    functions: list[HookFunction] = []
    for name, hook in REGISTERED_HOOKS.items():
        if hook == 'event':
            about = 'A function that receives events of a run; it may return one to pass on instead.'
            parameters = ['ctx: RunContext[Any]', 'event: AgentStreamEvent', '/']
            signature = _call(parameters, _sync_or_async('AgentStreamEvent | None'))
            functions.append(HookFunction('on_event', name, about, signature, 'EventHookDecorator'))
            continue
        method = found.methods[hook]
        parameters = [*method.positional, *(['*', *method.named] if method.named else ['/'])]
        decorator = 'ToolHookDecorator' if hook in TOOL_HOOKS else 'HookDecorator'
        signature = _call(parameters, _returns(hook, method.returns))
        functions.append(HookFunction(hook, name, f'A function for `{hook}`.', signature, decorator))
    return functions


def _returns(hook: str, method: str) -> str:
    if method.startswith('AsyncIterable'):  # an async generator
        return method
    return f'Awaitable[{method}]' if hook.startswith('wrap_') else _sync_or_async(method)


def _sync_or_async(returns: str) -> str:
    return 'Any' if returns == 'Any' else f'{returns} | Awaitable[{returns}]'


def _call(parameters: list[str], returns: str) -> str:
    """Return the signature of `__call__`, in as few lines as ruff would."""
    inside = ', '.join(['self', *parameters])
    line = f'    def __call__({inside}) -> {returns}: ...'
    if len(line) <= LINE_LENGTH:
        return line
    lines = (
        [f'        {inside}']
        if len(inside) + 8 <= LINE_LENGTH
        else [f'        {one},' for one in ('self', *parameters)]
    )
    return '\n'.join(('    def __call__(', *lines, f'    ) -> {returns}: ...'))


def _used(modules: dict[str, str], lines: Iterable[str]) -> dict[str, str]:
    names = {node.id for node in ast.walk(ast.parse('\n'.join(lines))) if isinstance(node, ast.Name)}
    return {name: module for name, module in modules.items() if name in names}


REGISTRATION = (
    'The decorators of `Hooks.on`: `before_x` and `after_x`, `x` for around it, `x_error`, and those without a point.'
)


def hook_functions_module() -> str:
    """Return `capabilities/_hook_functions.py`."""
    found = interface()
    functions = hook_functions(found)
    protocols = '\n\n\n'.join(
        f'class {one.type}(Protocol):\n    """{one.about}"""\n\n{one.signature}' for one in functions
    )
    modules = {
        **_used(found.modules, [protocols]),
        **dict.fromkeys(
            ('EventHookDecorator', 'HookDecorator', 'HookRegistrar', 'ToolHookDecorator'), '._hook_decorators'
        ),
        **dict.fromkeys(('Any', 'Protocol'), 'typing'),
        'TypedDict': 'typing_extensions',
        'Awaitable': 'collections.abc',
    }
    exported = sorted([*(one.type for one in functions), 'HookFunctions', 'HookRegistration'])
    return '\n'.join(
        (
            '"""The types of functions that are registered as hooks, and of what registers them. Written by `make stubs`."""',
            '',
            'from __future__ import annotations',
            '',
            import_lines(modules),
            '',
            '__all__ = (',
            *(f'    {name!r},' for name in exported),
            ')',
            '',
            '',
            protocols,
            '',
            '',
            'class HookFunctions(TypedDict, total=False):',
            '    """Functions to register, by the name they have at `Hooks.on`."""',
            '',
            *(f'    {one.name}: {one.type} | None' for one in functions),
            '',
            '',
            'class HookRegistration(HookRegistrar):',
            f'    """{REGISTRATION}"""',
            '',
            *(f'    {one.name}: {one.decorator}[{one.type}]' for one in functions),
            '',
        )
    )


BEGIN = '    # Written by `make stubs`.\n'
END = '    # End of what is written.\n'


def chain_module(text: str) -> str:
    """Return `capabilities/_chain.py` with the attributes of `HookChain`.

    Raises:
        ValueError: The lines between which they stand are not there.
    """
    sys.path.insert(0, str(PACKAGE.parent))
    from stead._contracts.hooks import POINTS, SINGLES

    head, _, rest = text.partition(BEGIN)
    _, marker, tail = rest.partition(END)
    if not marker:
        raise ValueError('capabilities/_chain.py has lost the comments around the attributes of `HookChain`')
    attributes = [f'    {point.name}: bool\n' for point in POINTS]
    attributes += [f'    {name}: tuple[AbstractCapability[Any], ...]\n' for name in SINGLES]
    return ''.join((head, BEGIN, *attributes, END, tail))


# Options in docstrings

OPTIONS = [
    PACKAGE / '_contracts' / 'call_policy.py',
    PACKAGE / 'toolsets' / '_options.py',
    PACKAGE / 'agent' / '_options.py',
    PACKAGE / 'agent' / '_rare_options.py',
]
WITH_OPTIONS = [
    PACKAGE / 'agent' / '_decorators.py',
    PACKAGE / 'toolsets' / 'function.py',
    PACKAGE / 'capabilities' / 'capability.py',
]
MODULES = [PACKAGE / 'agent' / name for name in ('abstract.pyi', '_agent.pyi')]
"""Stubs of modules."""


def written() -> dict[Path, str]:
    """Return what is to stand in each file."""
    chain = PACKAGE / 'capabilities' / '_chain.py'
    options = options_of(*OPTIONS)
    return {
        **{path: with_options(path.read_text(encoding='utf-8'), options) for path in WITH_OPTIONS},
        **{path: stub(path.with_suffix('.py')) for path in STUBS},
        **{path: module_stub(path.with_suffix('.py'), options) for path in MODULES},
        PACKAGE / 'capabilities' / '_hook_functions.py': hook_functions_module(),
        chain: chain_module(chain.read_text(encoding='utf-8')),
    }


def outdated() -> dict[Path, str]:
    """Return the files whose content is another one, and what it should be."""
    return {
        path: text for path, text in written().items() if not path.exists() or path.read_text(encoding='utf-8') != text
    }


def main(arguments: list[str]) -> int:
    files = outdated()
    if '--check' in arguments:
        for path in files:
            print(f'{path.relative_to(ROOT)} is out of date: run `make stubs`')
        return int(bool(files))
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding='utf-8')
        print(f'wrote {path.relative_to(ROOT)}')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
