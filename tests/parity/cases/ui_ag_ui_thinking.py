"""The events of AG-UI for thinking, which later versions call reasoning."""

# needs: ag_ui
import asyncio

from _ui import CALL, DONE, called, stream, text, thinking
from ag_ui.core import RunAgentInput
from pydantic_ai.exceptions import UserError
from pydantic_ai.ui.ag_ui import AGUIEventStream

INPUT = RunAgentInput(thread_id='th', run_id='ru', messages=[], state=None, tools=[], context=[], forwarded_props=None)
SEALED = {'signature': 's', 'provider_name': 'p', 'id': 'i', 'provider_details': {'d': 1}}


async def main():
    for version in ('0.1.10', '0.1.12', '0.1.13', '0.1.15', '0.2', '1.0.0'):

        def make(version=version):
            return AGUIEventStream(INPUT, ag_ui_version=version)

        print('#', version)
        await stream('plain', make, thinking('a', 'b'), DONE)
        await stream('empty', make, thinking(''), DONE)
        await stream('from nothing', make, thinking('', 'b'), DONE)
        await stream('signed', make, thinking('a', signature='s', provider_name='p'), DONE)
        await stream('only signed', make, thinking('', **SEALED), DONE)
        two = [thinking('a', after='thinking'), thinking('b', before='thinking', after='text')]
        await stream('twice, and text', make, *two, text('c', before='thinking'), DONE)
        await stream('and a call', make, thinking('a', after='tool-call'), called(CALL, before='thinking'), DONE)
        await stream('broken off', make, list(thinking('a'))[:1], error=ValueError('boom'))
    for version in ('x', '', '1.', '.1', '1.x'):
        try:
            AGUIEventStream(INPUT, ag_ui_version=version)
        except UserError:
            print(repr(version), 'is not a version')


asyncio.run(main())
