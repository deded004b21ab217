"""A support agent with two workflows: each brings tools, one brings settings and a hook, too."""

from dataclasses import dataclass

from _disclosure import call, load, model, run, show
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import AbstractCapability, Capability
from pydantic_ai.toolsets import FunctionToolset


@dataclass
class Shop:
    parcels: dict


parcels = Capability[Shop](
    id='parcels', description='Where a parcel is.', instructions='Name the parcel.', defer_loading=True
)


@parcels.tool
def whereabouts(ctx: RunContext[Shop], parcel: str) -> str:
    """Where a parcel is now."""
    return ctx.deps.parcels.get(parcel, 'nowhere')


locks = FunctionToolset[Shop]()


@locks.tool
def lock_account(ctx: RunContext[Shop], name: str) -> str:
    """Lock an account."""
    return f'{name} is locked'


@dataclass
class Safety(AbstractCapability[Shop]):
    id: str = 'safety'
    description: str = 'Break-ins and stolen passwords.'
    defer_loading: bool = True

    def get_instructions(self):
        return 'Ask who is calling.'

    def get_toolset(self):
        return locks

    def get_model_settings(self):
        return {'extra_body': {'effort': 'high'}}

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        show('gate', [call.tool_name, args])
        return args


for script in (
    [load('parcels'), [call('whereabouts', parcel='7')]],
    [load('safety'), [call('lock_account', name='Ada')]],
):
    for wire in ('names', 'settings'):
        run(
            Agent(
                model(*script, wire=wire), deps_type=Shop, instructions='You help.', capabilities=[parcels, Safety()]
            ),
            deps=Shop({'7': 'Oslo'}),
        )
