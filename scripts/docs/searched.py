"""What people type into the search, and the page that they look for: their words are often not those of its title.

The search finds titles before texts, and what stands here before both. Without it, `retry` and `deps` lead to attributes of the
reference, and `handoff` to a page about something else.
"""

from __future__ import annotations

SEARCHED_FOR = {
    'agents.md': ['limits', 'system prompt'],
    'benchmarks.md': ['performance', 'speed', 'overhead'],
    'cli.md': ['command line', 'terminal'],
    'dependencies.md': ['deps', 'deps_type', 'injection'],
    'deploy.md': ['docker', 'kubernetes', 'production'],
    'durable-execution.md': ['temporal', 'dbos', 'prefect'],
    'embeddings.md': ['rag', 'vector'],
    'examples.md': ['gallery', 'tutorial', 'cookbook'],
    'guardrails.md': ['guardrail', 'moderation', 'pii'],
    'budgets.md': ['budget', 'runaway'],
    'caches.md': ['cache responses', 'cache tool results'],
    'evals.md': ['evaluation', 'llm judge', 'benchmark'],
    'http-clients.md': ['retry', 'retries', 'backoff', 'rate limit', 'proxy', 'timeout'],
    'human-in-the-loop.md': ['approve', 'approval', 'consent', 'confirmation'],
    'inspector.md': ['trace viewer', 'replay', 'fork'],
    'installation.md': ['install', 'pip', 'extras'],
    'instrumentation.md': ['opentelemetry', 'otel', 'spans', 'logfire'],
    'journal.md': ['durable', 'checkpoint', 'resume', 'abandoned', 'cancelled', 'crash', 'idempotency'],
    'local-models.md': ['offline', 'llama'],
    'long-conversations.md': ['summary', 'compaction', 'context window'],
    'memory.md': ['session', 'thread', 'chat history'],
    'messages.md': ['history', 'few-shot', 'image', 'pdf'],
    'multi-agent.md': ['handoff', 'handoffs', 'delegation', 'swarm', 'supervisor'],
    'observability.md': ['logging', 'tracing', 'monitoring', 'langfuse'],
    'output.md': ['structured', 'json', 'schema', 'validation'],
    'see-a-run.md': ['debug', 'log', 'cost'],
    'serving.md': ['fastapi', 'starlette', 'server'],
    'streaming.md': ['stream', 'events'],
    'testing.md': ['mock', 'pytest'],
    'tools.md': ['tool', 'function calling'],
    'troubleshooting.md': ['error', 'exception'],
    'web.md': ['ui', 'chatbot'],
}
