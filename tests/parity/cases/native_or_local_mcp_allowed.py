"""`allowed_tools` of `MCP` hold for local tools too."""

from _native_or_local import mine, run, show
from pydantic_ai.capabilities import MCP
from pydantic_ai.native_tools import MCPServerTool
from pydantic_ai.toolsets import FunctionToolset


def other() -> str:
    return 'o'


both = FunctionToolset([mine, other])
for allowed in (None, [], ['mine'], ['mine', 'none']):
    show(['native', allowed], lambda: MCP('https://x/api', native=True, local=both, allowed_tools=allowed))
    show(['no native', allowed], lambda: MCP('https://x/api', native=False, local=both, allowed_tools=allowed))
    run(['with', allowed], MCP('https://x/api', native=True, local=both, allowed_tools=allowed), MCPServerTool)
    run(['without', allowed], MCP('https://x/api', native=True, local=both, allowed_tools=allowed))
