// The Vercel AI SDK: its own checks accept every stream, and its messages go on as histories.
import assert from 'node:assert/strict';

const version = Number(process.argv[3]);
const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } = await import(version === 6 ? 'ai' : `ai${version}`);

class State {
  status = 'ready';
  error = undefined;
  messages = [];
  pushMessage = (message) => void (this.messages = [...this.messages, message]);
  popMessage = () => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) => void (this.messages = this.messages.with(index, message));
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
  constructor(options = {}) {
    const transport = new DefaultChatTransport({ api: `${process.argv[2]}/ai${Math.min(version, 6)}` });
    super({ transport, state: new State(), ...options });
  }
  text = () => this.messages.at(-1).parts.filter((part) => part.type === 'text').map((part) => part.text).join('');
  tools = () => this.messages.at(-1).parts.filter((part) => part.type.startsWith('tool-'));
  ask = (text) => this.sendMessage({ text });
}

{
  const chat = new Chat();
  await chat.ask('hello');
  assert.equal(chat.error, undefined);
  assert.equal(chat.text(), 'turn 1: hello');
  await chat.ask('again');
  assert.equal(chat.text(), 'turn 2: again');
  await chat.regenerate();
  assert.equal(chat.text(), 'turn 2: again');
  console.log('ok text, turns, again');
}
{
  const chat = new Chat();
  await chat.ask('think');
  const [, reasoning, text] = chat.messages.at(-1).parts;
  assert.deepEqual([reasoning.type, reasoning.text, text.text], ['reasoning', 'let me see', 'thought']);
  assert.match(JSON.stringify(reasoning.providerMetadata), /signed/);
  await chat.ask('more');
  assert.equal(chat.text(), 'turn 2: more');
  console.log('ok thinking, and its signature comes back');
}
{
  const data = [];
  const chat = new Chat({ onData: (part) => data.push(part.data) });
  await chat.ask('call double count');
  assert.deepEqual(chat.tools().map((part) => [part.type, part.state, part.output]), [
    ['tool-double', 'output-available', 4],
    ['tool-count', 'output-available', 'counted'],
  ]);
  assert.deepEqual(data, [{ count: 2 }]);
  await chat.ask('and now');
  assert.equal(chat.error, undefined);
  assert.match(chat.text(), /and now$/);
  console.log('ok tools, data of the application');
}
if (version >= 6) {
  for (const approved of [true, false]) {
    const chat = new Chat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    await chat.ask('call pay');
    const [part] = chat.tools();
    assert.equal(part.state, 'approval-requested');
    await chat.addToolApprovalResponse({ id: part.approval.id, approved, reason: approved ? undefined : 'too much' });
    while (chat.status !== 'ready') await new Promise((done) => setTimeout(done, 10));
    assert.equal(chat.error, undefined);
    assert.equal(chat.text(), approved ? 'result: paid 2.0' : 'result: too much');
    assert.equal(chat.tools()[0].state, approved ? 'output-available' : 'output-denied');
    console.log(`ok a call that waits: ${approved ? 'approved' : 'denied'}`);
  }
}
{
  const chat = new Chat();
  await chat.ask('mixed');
  assert.deepEqual(chat.tools().map((part) => [part.input, part.output]), [
    [{ value: 0.5 }, 1],
    [{ value: 1.5 }, 3],
  ]);
  console.log('ok calls whose arguments come in turns');
}
{
  const chat = new Chat();
  await chat.ask('native');
  const [part] = chat.tools();
  assert.deepEqual([part.state, part.output, part.providerExecuted], ['output-available', { hits: 1 }, true]);
  await chat.ask('history');
  assert.equal(chat.text(), 'user-prompt builtin-tool-call builtin-tool-return text user-prompt');
  console.log('ok tools of the provider, and they come back');
}
{
  const chat = new Chat();
  const files = [['image/png', 'data:image/png;base64,eA=='], ['application/pdf', 'https://example.com/a.pdf'], ['image/png', 's3://bucket/a.png']];
  await chat.sendMessage({ text: 'look', files: files.map(([mediaType, url]) => ({ type: 'file', mediaType, url })) });
  assert.equal(chat.text(), "saw ['image/png', 'application/pdf']");
  console.log('ok files of the user, without links of other schemes');
}
{
  const chat = new Chat();
  await chat.ask('call picky');
  assert.deepEqual(chat.tools().map((part) => part.state), ['output-error', 'output-available']);
  assert.equal(chat.text(), 'result: took 3.0');
  console.log('ok a tool that asks for another try');
}
{
  const chat = new Chat();
  const before = (await (await fetch(`${process.argv[2]}/left`)).json()).length;
  const answered = chat.ask('slow');
  while (chat.messages.at(-1)?.role !== 'assistant') await new Promise((done) => setTimeout(done, 10));
  await chat.stop();
  await answered;
  for (let tries = 0; (await (await fetch(`${process.argv[2]}/left`)).json()).length === before; tries++) {
    assert.ok(tries < 200, 'the run goes on without its client');
    await new Promise((done) => setTimeout(done, 10));
  }
  await chat.ask('and now');
  assert.match(chat.text(), /and now$/);
  console.log('ok a client that leaves ends the run, and comes again');
}
for (const prompt of ['error', 'call fail']) {
  const chat = new Chat();
  await chat.ask(prompt);
  assert.match(chat.error.message, /broke/);
  console.log(`ok ${prompt}`);
}
