// The client of AG-UI: its own checks accept every stream, and its messages go on as histories.
import assert from 'node:assert/strict';
import { HttpAgent } from '@ag-ui/client';

const url = `${process.argv[2]}/ag-ui`;
let number = 0;

async function ask(agent, content, options = {}) {
  agent.addMessage({ id: `user-${number++}`, role: 'user', content });
  return agent.runAgent(options);
}

const roles = (agent) => agent.messages.map((message) => message.role);
const last = (agent) => agent.messages.at(-1);

{
  const agent = new HttpAgent({ url });
  await ask(agent, 'hello');
  assert.equal(last(agent).content, 'turn 1: hello');
  await ask(agent, 'again');
  assert.equal(last(agent).content, 'turn 2: again');
  console.log('ok text, turns');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'think');
  assert.deepEqual(roles(agent), ['user', 'reasoning', 'assistant']);
  assert.equal(agent.messages[1].content, 'let me see');
  assert.match(agent.messages[1].encryptedValue, /signed/);
  await ask(agent, 'more');
  assert.equal(last(agent).content, 'turn 2: more');
  console.log('ok thinking, and its signature comes back');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'call double count');
  assert.deepEqual(agent.messages[1].toolCalls.map((call) => call.function), [
    { name: 'double', arguments: '{"value": 2.0}' },
    { name: 'count', arguments: '{"value": 2.0}' },
  ]);
  assert.deepEqual(agent.messages.filter((message) => message.role === 'tool').map((message) => message.content).sort(), ['4.0', 'counted']);
  assert.deepEqual(agent.state, { count: 2 });
  await ask(agent, 'and now');
  assert.equal(last(agent).content, 'turn 3: and now');
  console.log('ok tools, state and its deltas');
}
{
  const agent = new HttpAgent({ url });
  const tools = [{ name: 'colour', description: 'Paint the page.', parameters: { type: 'object', properties: { value: { type: 'number' } } } }];
  await ask(agent, 'call colour', { tools });
  const call = last(agent).toolCalls[0];
  assert.equal(call.function.name, 'colour');
  agent.addMessage({ id: 'result', role: 'tool', toolCallId: call.id, content: 'painted' });
  await agent.runAgent({ tools });
  assert.equal(last(agent).content, 'result: painted');
  console.log('ok tools of the interface');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'call pay');
  assert.equal(last(agent).toolCalls[0].function.name, 'pay');
  await ask(agent, 'never mind');
  assert.equal(last(agent).content, 'turn 2: never mind');
  console.log('ok a call that waits, and is left behind');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'mixed');
  assert.deepEqual(agent.messages[1].toolCalls.map((call) => call.function.arguments), ['{"value": 0.5}', '{"value": 1.5}']);
  console.log('ok calls whose arguments come in turns');
}
for (const prompt of ['error', 'call fail']) {
  const agent = new HttpAgent({ url });
  const seen = [];
  const subscriber = { onRunErrorEvent: ({ event }) => void seen.push(event.message) };
  agent.addMessage({ id: 'user', role: 'user', content: prompt });
  await agent.runAgent({}, subscriber).catch(() => {});
  assert.match(seen[0], /broke/);
  console.log(`ok ${prompt}`);
}
