"""Functions of `Hooks` that take too long, in a run: the error, what it carries, and who may recover from it."""

import asyncio

from _hooks import MODES, Out, run_as, scripted
from pydantic_ai import Agent
from pydantic_ai.capabilities import Hooks, HookTimeoutError
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.run import AgentRunResult


async def slow(*args, **options):
    await asyncio.sleep(5)


async def quick(*args, **options):
    return args[1] if len(args) > 1 else None


NAMES = (
    'before_run',
    'run',
    'after_run',
    'before_node_run',
    'node_run',
    'after_node_run',
    'before_model_request',
    'model_request',
    'after_model_request',
    'before_tool_validate',
    'tool_validate',
    'after_tool_validate',
    'before_tool_execute',
    'tool_execute',
    'after_tool_execute',
    'before_output_validate',
    'output_validate',
    'after_output_validate',
    'before_output_process',
    'output_process',
    'after_output_process',
    'prepare_tools',
    'prepare_output_tools',
)


def tool_agent(*capabilities):
    model, requests = scripted(None, 'tool')
    agent = Agent(model, output_type=Out, capabilities=list(capabilities), retries=1)

    @agent.tool_plain
    def double(x: int) -> int:
        return x * 2

    return agent, requests


for name in NAMES:
    outcomes = {}
    for mode in MODES:
        hooks = Hooks()
        getattr(hooks.on, name)(timeout=0.01)(slow)
        agent, requests = tool_agent(hooks)
        try:
            fact = str(asyncio.run(run_as(mode, agent)))
        except HookTimeoutError as error:
            fact = (
                f'{error.hook_name} {error.func_name} {error.timeout} {isinstance(error, TimeoutError)} {len(requests)}'
            )
        except Exception as error:
            fact = type(error).__name__
        outcomes.setdefault(fact, []).append(mode)
    print(name, outcomes)

hooks = Hooks()
hooks.on.before_tool_execute(timeout=0.01)(slow)
agent, _ = tool_agent(Hooks(run_error=lambda ctx, *, error: AgentRunResult(f'recovered {type(error).__name__}')), hooks)
print(agent.run_sync('hi').output)
hooks = Hooks()
hooks.on.model_request(timeout=0.01)(slow)
hooks.on.model_request_error(lambda ctx, *, request_context, error: ModelResponse(parts=[TextPart('late')]))
print(Agent('test', capabilities=[hooks]).run_sync('hi').output)
hooks = Hooks()


@hooks.on.before_model_request(timeout=5)
async def in_time(ctx, request_context):
    return request_context


print(Agent('test', capabilities=[hooks]).run_sync('hi').output)
