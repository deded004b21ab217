// A front end that speaks AG-UI: text as it comes, the shared basket, a tool of the page, and questions about orders.
import { HttpAgent, buildResumeArray } from '@ag-ui/client';

const agent = new HttpAgent({ url: new URL('/ag-ui', location.href).href, initialState: { items: [] } });
const tools = [
  {
    name: 'paint',
    description: 'Paint the page.',
    parameters: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  },
];
const find = (id) => document.getElementById(id);
let isRunning = false;

function show() {
  find('basket').textContent = `basket: ${agent.state.items.join(', ') || 'empty'}`;
  find('messages').replaceChildren(
    ...agent.messages
      .filter(({ content }) => content)
      .map(({ role, content }) => Object.assign(document.createElement('li'), { className: role, textContent: content })),
  );
  // One run at a time: the next prompt or answer belongs to what this one leaves. Enter does nothing while the button is disabled.
  find('send').disabled = isRunning;
  find('question').replaceChildren(...(isRunning ? [] : agent.pendingInterrupts.slice(0, 1).flatMap(question)));
}

function question({ message }) {
  const answers = [['Yes', { approved: true }], ['No', { approved: false, reason: 'The user does not want it.' }]];
  const buttons = answers.map(([text, payload]) => {
    const button = Object.assign(document.createElement('button'), { textContent: text });
    button.onclick = () => {
      const decisions = agent.pendingInterrupts.map(({ id }) => [id, { status: 'resolved', payload }]);
      run({ resume: buildResumeArray(agent.pendingInterrupts, Object.fromEntries(decisions)) });
    };
    return button;
  });
  return [Object.assign(document.createElement('p'), { textContent: message }), ...buttons];
}

// Executes the calls of the page's own tool that have no result; returns whether there were any.
function paint() {
  const done = new Set(agent.messages.map(({ toolCallId }) => toolCallId));
  const calls = agent.messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  const open = calls.filter((call) => call.function.name === 'paint' && !done.has(call.id));
  for (const call of open) {
    const { colour } = JSON.parse(call.function.arguments);
    document.body.style.background = colour;
    document.documentElement.style.colorScheme = 'light'; // with dark words, also where pages are dark
    agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: call.id, content: `The page is ${colour}.` });
  }
  return open.length > 0;
}

async function run(parameters = {}) {
  isRunning = true;
  show();
  find('error').textContent = '';
  const failed = (text) => (find('error').textContent = text);
  try {
    await agent.runAgent({ tools, ...parameters }, { onEvent: show, onRunErrorEvent: ({ event }) => void failed(event.message) });
  } catch (error) {
    if (error.name !== 'AbortError') failed(error.message);
  }
  isRunning = paint();
  show();
  if (isRunning) await run();
}

document.forms[0].onsubmit = (event) => {
  event.preventDefault();
  const content = event.target.prompt.value;
  event.target.reset();
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  // Whoever writes on instead of answering does not want it.
  const cancelled = agent.pendingInterrupts.map(({ id }) => [id, { status: 'cancelled' }]);
  run(cancelled.length ? { resume: buildResumeArray(agent.pendingInterrupts, Object.fromEntries(cancelled)) } : {});
};
find('stop').onclick = () => agent.abortRun();
show();
