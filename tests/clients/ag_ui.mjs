// The client of AG-UI: its own checks accept every stream, and its messages go on as histories.
import assert from 'node:assert/strict';
import { HttpAgent, buildResumeArray } from '@ag-ui/client';

const version = process.argv[3];
const url = `${process.argv[2]}/ag-ui/${version}`;
const hasInterrupts = version === '1.0';
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
  if (version !== '0.1.10') assert.match(agent.messages[1].encryptedValue, /signed/);
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
if (!hasInterrupts) {
  const agent = new HttpAgent({ url });
  await ask(agent, 'call pay');
  assert.equal(last(agent).toolCalls[0].function.name, 'pay');
  assert.deepEqual(agent.pendingInterrupts, []);
  await ask(agent, 'never mind');
  assert.equal(last(agent).content, 'turn 2: never mind');
  console.log('ok a call that waits, and is left behind');
}
const resume = (agent, ...answers) => ({ resume: buildResumeArray(agent.pendingInterrupts, Object.fromEntries(agent.pendingInterrupts.map(({ id }, number) => [id, answers[number]]))) });
const resolved = (payload) => ({ status: 'resolved', payload });
const decisions = {
  approved: [resolved({ approved: true }), 'paid 2.0'],
  denied: [resolved({ approved: false, reason: 'too much' }), 'too much'],
  edited: [resolved({ approved: true, editedArgs: { value: 1 } }), 'paid 1.0'],
  cancelled: [{ status: 'cancelled' }, 'The tool call was denied.'],
};
for (const [name, [answer, content]] of Object.entries(hasInterrupts ? decisions : {})) {
  const agent = new HttpAgent({ url });
  await ask(agent, 'call pay');
  assert.equal(agent.pendingInterrupts.length, 1);
  assert.equal(agent.pendingInterrupts[0].toolCallId, last(agent).toolCalls[0].id);
  await assert.rejects(agent.runAgent(), /pending interrupt/);
  await agent.runAgent(resume(agent, answer));
  assert.deepEqual(agent.pendingInterrupts, []);
  assert.equal(last(agent).content, `result: ${content}`);
  assert.equal(agent.messages.at(-2).content, content);
  await ask(agent, 'more');
  assert.equal(last(agent).content, 'turn 3: more');
  console.log(`ok a call that waits: ${name}`);
}
if (hasInterrupts) {
  const agent = new HttpAgent({ url });
  const tools = [{ name: 'colour', description: 'Paint the page.', parameters: { type: 'object', properties: { value: { type: 'number' } } } }];
  await ask(agent, 'call colour pay', { tools });
  const [colour, pay] = last(agent).toolCalls;
  assert.equal(agent.pendingInterrupts[0].toolCallId, pay.id);
  agent.addMessage({ id: 'result', role: 'tool', toolCallId: colour.id, content: 'painted' });
  await agent.runAgent({ ...resume(agent, resolved({ approved: true })), tools });
  assert.deepEqual(agent.messages.filter((message) => message.role === 'tool').map((message) => message.content), ['painted', 'paid 2.0']);
  console.log('ok an approval beside a tool of the interface');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'mixed');
  assert.deepEqual(agent.messages[1].toolCalls.map((call) => call.function.arguments), ['{"value": 0.5}', '{"value": 1.5}']);
  console.log('ok calls whose arguments come in turns');
}
{
  const agent = new HttpAgent({ url, initialState: { count: 7 } });
  await ask(agent, 'state');
  assert.equal(last(agent).content, 'count 7');
  await ask(agent, 'call count');
  await ask(agent, 'state');
  assert.equal(last(agent).content, 'count 2');
  console.log('ok state comes back with its changes');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'native');
  assert.equal(last(agent).content, 'found');
  assert.deepEqual(JSON.parse(agent.messages.find(({ role }) => role === 'tool').content), { hits: 1 });
  await ask(agent, 'history');
  assert.equal(last(agent).content, 'user-prompt builtin-tool-call builtin-tool-return text user-prompt');
  console.log('ok tools of the provider, and they come back');
}
{
  const agent = new HttpAgent({ url });
  const image = { type: 'image', source: { type: 'data', value: 'eA==', mimeType: 'image/png' } };
  const link = { type: 'document', source: { type: 'url', value: 'https://example.com/a.pdf', mimeType: 'application/pdf' } };
  const foreign = { type: 'image', source: { type: 'url', value: 's3://bucket/a.png', mimeType: 'image/png' } };
  await ask(agent, [{ type: 'text', text: 'look' }, image, link, foreign]);
  assert.equal(last(agent).content, "saw ['image/png', 'application/pdf']");
  console.log('ok files of the user, without links of other schemes');
}
{
  const agent = new HttpAgent({ url });
  await ask(agent, 'call picky');
  assert.deepEqual(agent.messages.filter(({ role }) => role === 'tool').map(({ content }) => content.split('\n')[0]), ['not two', 'took 3.0']);
  assert.equal(last(agent).content, 'result: took 3.0');
  console.log('ok a tool that asks for another try');
}
{
  const agent = new HttpAgent({ url });
  const before = (await (await fetch(`${process.argv[2]}/left`)).json()).length;
  agent.addMessage({ id: 'user', role: 'user', content: 'slow' });
  await agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() }).catch(() => {});
  for (let tries = 0; (await (await fetch(`${process.argv[2]}/left`)).json()).length === before; tries++) {
    assert.ok(tries < 200, 'the run goes on without its client');
    await new Promise((done) => setTimeout(done, 10));
  }
  await ask(agent, 'and now');
  assert.match(last(agent).content, /and now$/);
  console.log('ok a client that leaves ends the run, and comes again');
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
