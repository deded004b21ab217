"""Names of native tools from before they had that name still work, and warn at the line that uses them."""

import importlib
import warnings

from _common import fact

RETIRED = {
    '': 'AgentBuiltinTool BuiltinToolCallPart BuiltinToolReturnPart',
    '.builtin_tools': 'BUILTIN_TOOL_TYPES WebSearchTool',
    '.capabilities': 'BuiltinOrLocalTool BuiltinTool',
    '.messages': 'BuiltinToolCallEvent BuiltinToolCallPart BuiltinToolResultEvent BuiltinToolReturnPart',
    '.tools': 'AgentBuiltinTool BuiltinToolFunc',
}


def look_up(module, name):
    return getattr(module, name)


for place, names in RETIRED.items():
    module = importlib.import_module('pydantic_ai' + place)
    for name in names.split():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            found = look_up(module, name)
        new = getattr(module, name.replace('Builtin', 'Native'), None)
        here = {one.filename == look_up.__code__.co_filename for one in caught}
        fact(
            f'{place} {name}',
            [found is new, [one.category.__name__ for one in caught], here == {True}, name in dir(module)],
        )
