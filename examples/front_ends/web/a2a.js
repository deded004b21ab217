// A client of A2A: a message becomes a task, which is asked for until it is done. The context carries the conversation on.
const list = document.getElementById('messages');
let contextId;

function say(role, text) {
  list.append(Object.assign(document.createElement('li'), { className: role, textContent: text }));
}

async function call(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params });
  const response = await fetch('/a2a/', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result.task ?? result;
}

async function ask(text) {
  const message = { role: 'user', parts: [{ text }], messageId: crypto.randomUUID(), ...(contextId && { contextId }) };
  let task = await call('message/send', { message });
  while (['submitted', 'working'].includes(task.status.state)) {
    await new Promise((done) => setTimeout(done, 100));
    task = await call('tasks/get', { id: task.id });
  }
  contextId = task.contextId;
  if (task.status.state !== 'completed') throw new Error(`The task has ${task.status.state}.`);
  return task.artifacts.at(-1).parts.map((part) => part.text ?? JSON.stringify(part.data)).join('');
}

document.forms[0].onsubmit = async (event) => {
  event.preventDefault();
  const text = event.target.prompt.value;
  event.target.reset();
  document.getElementById('error').textContent = '';
  document.getElementById('send').disabled = true; // one task of a context at a time; Enter does nothing meanwhile
  say('user', text);
  try {
    say('assistant', await ask(text));
  } catch (error) {
    document.getElementById('error').textContent = error.message;
  } finally {
    document.getElementById('send').disabled = false;
  }
};
