"""An MCP server of one tool, over standard input and output."""

try:
    from mcp.server import MCPServer as Server  # type: ignore[attr-defined]
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server  # type: ignore[import-not-found,no-redef]

server = Server('sums', instructions='It adds.')


@server.tool()
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


if __name__ == '__main__':
    server.run()
