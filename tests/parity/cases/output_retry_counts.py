"""Retries as output functions, validators and hooks see them: with a number of its own for a tool, and with two tools."""

from _common import error_text, fact
from _output import scripted
from pydantic_ai import Agent, ModelRetry, RunContext, ToolOutput
from pydantic_ai.capabilities import AbstractCapability

seen = []


def note(where, ctx):
    seen.append([where, ctx.retry, ctx.max_retries, ctx.last_attempt])


class Hooks(AbstractCapability):
    async def prepare_output_tools(self, ctx, tool_defs):
        note('prepare_output_tools', ctx)
        return tool_defs

    async def prepare_tools(self, ctx, tool_defs):
        note('prepare_tools', ctx)
        return tool_defs

    async def before_output_validate(self, ctx, *, output_context, output):
        note('before_output_validate', ctx)
        return output

    async def before_output_process(self, ctx, *, output_context, output):
        note('before_output_process', ctx)
        return output

    async def before_model_request(self, ctx, request_context):
        note('before_model_request', ctx)
        return request_context


def function(name):
    def small(ctx: RunContext, x: int) -> str:
        note(name, ctx)
        if x > 5:
            raise ModelRetry('small')
        return f'{name}{x}'

    return small


def outputs(**retries):
    return [ToolOutput(function(name), name=name, max_retries=most) for name, most in retries.items()]


def run(name, answers, output_type, retries, run_retries=None):
    for hooks in (False, True):
        seen.clear()
        agent = Agent(scripted(answers, None), output_type=output_type, retries=retries)

        @agent.output_validator
        def check(ctx: RunContext, value):
            note('validator', ctx)
            if '3' in str(value):
                raise ModelRetry('not three')
            return value

        @agent.tool
        def look(ctx: RunContext, x: int = 0):
            note('look', ctx)
            if x > 5:
                raise ModelRetry('look')
            return 1

        try:
            outcome = agent.run_sync('hi', retries=run_retries, capabilities=[Hooks()] if hooks else None).output
        except Exception as error:
            outcome = error_text(error)
        fact(f'{name}{", hooks" if hooks else ""}', [outcome, *seen])


LARGE, WRONG, THREE, GOOD = {'x': 9}, {'x': 'q'}, {'x': 3}, {'x': 1}
both = outputs(a=None, b=None)
run('own', [('a', LARGE), ('a', WRONG), ('a', THREE), ('a', THREE), ('a', GOOD)], outputs(a=4), {'output': 1})
run('own, exhausted', [('a', THREE)] * 6, outputs(a=4), {'output': 1})
run('own of none', [('a', THREE)], outputs(a=0), {'output': 3})
run('switch', [('a', LARGE), ('b', LARGE), ('b', THREE), ('b', GOOD)], both, {'output': 2})
run('switch, exhausted', [('a', LARGE), ('b', LARGE), ('b', THREE), ('b', GOOD)], both, {'output': 1})
run('back and forth', [('a', LARGE), ('b', LARGE)] * 3 + [('a', GOOD)], both, {'output': 2})
run('validated', [('a', THREE), ('b', THREE)] * 3 + [('a', GOOD)], both, {'output': 2})
run('invalid', [('a', WRONG), ('b', WRONG)] * 2 + [('a', WRONG), ('a', GOOD)], both, {'output': 2})
run('switch, own', [('a', LARGE), ('b', LARGE), ('b', THREE), ('b', GOOD)], outputs(a=1, b=3), {'output': 2})
run('text between', [('a', LARGE), 'text', ('b', LARGE), ('b', GOOD)], both, {'output': 2})
run('text first', ['text', ('b', LARGE), ('b', THREE), ('b', GOOD)], both, {'output': 2})
run('tool between', [('a', LARGE), ('look', {}), ('a', LARGE), ('look', LARGE), ('b', GOOD)], both, {'output': 2})
run('run', [('a', LARGE), ('b', LARGE), ('a', THREE), ('b', GOOD)], both, {'output': 0}, {'output': 3})
run('run and own', [('a', LARGE), ('a', THREE), ('b', GOOD)], outputs(a=4, b=None), {'output': 0}, {'output': 3})
run('tools', [('a', LARGE), ('a', THREE), ('a', GOOD)], both, {'output': 2, 'tools': 5})
run('unknown', [('zz', LARGE), ('a', THREE), ('zz', {}), ('a', GOOD)], both, {'output': 2, 'tools': 3})
run('text', ['3', '3', '1'], str, {'output': 2})
