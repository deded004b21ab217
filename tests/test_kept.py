"""What modules keep for the whole process has a bound, or a finite number of keys; each place says which."""

from __future__ import annotations

import ast

from .source import name_of, source_files, tree_of

ONE_FOR_EACH = {
    'a class of stead, of its program or of an SDK': {
        '_kit/plain_copies.py plain_classes',
        'exceptions/_models.py _with_status',
        'messages/_named_events.py _classes',
        'messages/_open.py _names',
        '_kit/left_out.py left_out_fields',
        'messages/_open.py _names_but_left_out',
        'messages/_stored.py _parts_of',
        'messages/_stored.py _writers',
        'messages/_tool_kinds.py _kinds',
        'messages/_tool_parts.py TYPED_PARTS',
        'models/mistral/_door.py _answered',
        'models/mistral/_door.py _noting',
        'native_tools/_base.py NATIVE_TOOL_TYPES',
    },
    'a module': {'dropin.py _answering'},
    'a name that 2.x has dropped': {'_aliased/levels.py _dropped'},
    'a file with weights that the program names': {
        'embeddings/llamacpp.py _engines',
        'models/llamacpp/_engine.py _engines',
        'models/llamacpp/_engine.py _loaded',
    },
    'a folder with descriptions of services that the program names': {'providers/bedrock.py _loader'},
    'one key': {'_kit/plain_yaml.py _loaders'},
    'a list that modules name, of which there are five': {'_kit/left_out.py _MARKS'},
    'an event loop that is not closed': {'_kit/per_loop.py _waiting'},
    'a function of a file': {'testing/_stores.py CHECKS'},
    'nothing: it stays empty': {
        'capabilities/_single_hooks.py _NO_SUBJECT',
        'capabilities/_watch.py _NOTHING',
        'function_signature.py _NO_RENAMES',
        '_kit/meant.py _NONE',
        'journal/_encode.py _NOWHERE',
    },
    'a bound beside it, at which it is emptied or the oldest goes': {
        'durable_exec/prefect.py _attempts',  # MOST_FLOWS
        'tools/_schema.py _by_signature',  # _SIGNATURES_KEPT
        'toolsets/_copies.py _renamings',  # _RENAMINGS_KEPT
        'ui/_approvals.py _decided',  # _MOST_REMEMBERED
        'messages/_sanitized.py _remembered',  # _MOST_REMEMBERED
        '_kit/tags.py _registered',  # _MOST_TAGS
    },
}
EMPTY = ('{}', '[]', 'set()', 'dict()', 'list()', 'deque()', 'OrderedDict()', 'defaultdict')


def is_unbounded_cache(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is remembered for each of its arguments, however many there are."""
    decorators = [ast.unparse(each) for each in node.decorator_list]
    unbounded = any(each in ('cache', 'functools.cache') or 'maxsize=None' in each for each in decorators)
    arguments = node.args
    return unbounded and bool(arguments.posonlyargs or arguments.args or arguments.kwonlyargs or arguments.vararg)


def test_what_is_kept_for_the_process_is_bounded() -> None:
    found: set[str] = set()
    for path in source_files():
        top = list(tree_of(path).body)
        for node in top:
            if isinstance(node, ast.If):
                top += [*node.body, *node.orelse]
            elif isinstance(node, ast.ClassDef):
                top += [each for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if is_unbounded_cache(node):
                    found.add(f'{name_of(path)} {node.name}')
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                if ast.unparse(node.value).startswith(EMPTY):
                    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                    found.add(f'{name_of(path)} {ast.unparse(target)}')
    listed = set().union(*ONE_FOR_EACH.values())
    assert sorted(found - listed) == [], 'say here what bounds it'
    assert sorted(listed - found) == [], 'it is not there any more'
