"""Which words find a tool: of its name and description, whatever their case, whole or with signs between them."""

from _disclosure import LOCAL, function, model, search, show
from pydantic_ai import Agent


def tools():
    return [
        function('list_parcels', 'Lists parcels on the way.', defer_loading=True),
        function('createInvoice', 'Writes an invoice.', defer_loading=True),
        function('db-query', 'Runs SQL.', defer_loading=True),
        function('zebra', 'Stripes.', defer_loading=True),
    ]


for query in (
    'parcels',
    'PARCELS',
    'list parcels',
    'list_parcels',
    'invoice',
    'Invoice',
    'sql',
    'db-query',
    'db_query',
    'stripes!',
    'a zebra',
    '"zebra"',
):
    result = Agent(model(search(query), wire=None, **LOCAL), tools=tools()).run_sync('go')
    matches = result.all_messages()[2].parts[0].discovered_tools
    show(query, matches[0]['name'] if matches else None)
