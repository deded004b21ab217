import type { ShownArguments } from '../shared/marks';
// What the page knows of a conversation: turns of the user and of the agent, made from messages or from events.
export type CallState = 'writing' | 'running' | 'asking' | 'done' | 'failed' | 'denied' | 'stopped' | 'left' | 'open';
export type Call = {
  type: 'call'; id: string; tool: string; state: CallState; typed: string; input?: unknown; output?: unknown; error?: string;
  started?: number; ms?: number; provider?: boolean;
  waited?: boolean; // for a person, so that the time until its answer is not its own
  allowed?: unknown; // the arguments that a person gave it in place of those of the model
};
export type Part =
  | { type: 'text'; id: string; text: string }
  | { type: 'thinking'; id: string; text: string; started?: number; ms?: number; live?: boolean }
  | { type: 'file'; id: string; url: string; media: string }
  | { type: 'note'; id: string; text: string }
  | Call;
export type FilePart = { url: string; media: string; name?: string };
export type UserTurn = { role: 'user'; key: string; text: string; files: FilePart[]; index: number };
export type AnswerTurn = {
  role: 'answer'; key: string; parts: Part[]; version: number; live: boolean; replayed?: boolean; stopped?: boolean; error?: string; model?: string;
  refused?: boolean; // by the server, so that what was said is not part of the conversation
  input: number; output: number;
};
export type Turn = UserTurn | AnswerTurn;
export type Waiting = {
  kind: 'approval' | 'result'; run: string; id: string; inside: string | null; tool: string; args: Record<string, unknown>;
  about: Record<string, unknown> | null; digest: string; shown?: ShownArguments;
};
export type Message = { kind: 'request' | 'response'; parts: any[]; timestamp?: string; metadata?: { closed?: string } | null; model_name?: string; usage?: { input_tokens?: number; output_tokens?: number } };
export type State = {
  status: string; title: string; run: string; messages: Message[]; answers: Record<string, any[]>; waiting: Waiting[];
  decided: Record<string, unknown>; error: string | null; cost: number | null; left: string | null;
};

let made = 0;
export const newKey = () => `k${++made}`;
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** What was said and refused, each with its answer: it stays on the page, whatever else comes into the conversation. */
export const unsent = (turns: Turn[]) => turns.filter((turn, place) => {
  const answer = turn.role === 'user' ? turns[place + 1] : turn;
  const said = turn.role === 'user' ? turn : turns[place - 1];
  return answer?.role === 'answer' && answer.refused && said?.role === 'user' && said.index < 0;
});

export const newAnswer = (): AnswerTurn => ({ role: 'answer', key: newKey(), parts: [], version: 0, live: true, input: 0, output: 0 });

const at = (text?: string) => (text ? Date.parse(text) : NaN);

function userTurn(content: unknown, index: number): UserTurn {
  const items: unknown[] = Array.isArray(content) ? content : [content];
  const turn: UserTurn = { role: 'user', key: newKey(), text: '', files: [], index };
  for (const item of items) {
    if (typeof item === 'string') turn.text += (turn.text && '\n') + item;
    else if (item && typeof item === 'object') {
      const file = item as { kind?: string; data?: string; media_type?: string; url?: string; content?: string; identifier?: string };
      if (file.kind === 'binary') turn.files.push({ url: dataUrl(file.media_type ?? '', file.data ?? ''), media: file.media_type ?? '' });
      else if (typeof file.content === 'string') turn.text += (turn.text && '\n') + file.content;
      else if (file.url) turn.files.push({ url: file.url, media: file.media_type ?? '', name: file.url });
    }
  }
  return turn;
}

export const dataUrl = (media: string, base64: string) =>
  `data:${media};base64,${base64.replaceAll('-', '+').replaceAll('_', '/')}`;

const isSuccess = (part: any) => part.outcome === undefined || part.outcome === 'success';

function answered(call: Call, part: any, sent: number) {
  const when = at(part.timestamp);
  if (!call.waited && !Number.isNaN(when) && !Number.isNaN(sent)) call.ms = Math.max(0, when - sent);
  if (part.part_kind === 'retry-prompt') {
    call.state = 'failed';
    call.error = typeof part.content === 'string' ? part.content
      : (part.content as any[]).map((one) => `${(one.loc ?? []).join('.')}: ${one.msg}`).join('\n');
  } else if (isSuccess(part)) Object.assign(call, { state: 'done', output: part.content });
  else if (part.metadata?.closed) Object.assign(call, { state: part.metadata.closed === 'left' ? 'left' : 'stopped', error: String(part.content) });
  else Object.assign(call, { state: part.outcome === 'denied' ? 'denied' : 'failed', error: String(part.content) });
}

/** The turns in the messages of a conversation. */
export function turnsOf(state: State): Turn[] {
  const turns: Turn[] = [];
  let answer: AnswerTurn | null = null;
  let calls = new Map<string, Call>();
  let sent = NaN;
  const decided = new Map(Object.entries(state.decided));
  const last = () => {
    if (answer) return answer;
    answer = { ...newAnswer(), live: false };
    turns.push(answer);
    return answer;
  };
  const take = (part: any, index: number) => {
    if (part.part_kind === 'user-prompt') {
      turns.push(userTurn(part.content, index));
      answer = null;
    } else if (part.part_kind === 'tool-return' || (part.part_kind === 'retry-prompt' && part.tool_name)) {
      const call = calls.get(part.tool_call_id);
      if (call) answered(call, part, sent);
    } else if (part.part_kind === 'retry-prompt') {
      last().parts.push({ type: 'note', id: newKey(), text: 'The answer was not what was needed, so the model was asked again.' });
    }
  };
  state.messages.forEach((message, index) => {
    if (message.kind === 'request') {
      for (const part of message.parts) take(part, index);
      return;
    }
    sent = at(message.timestamp);
    calls = new Map();
    const turn = last();
    turn.model = message.model_name;
    if (message.metadata?.closed) turn.stopped = true;
    turn.input += message.usage?.input_tokens ?? 0;
    turn.output += message.usage?.output_tokens ?? 0;
    for (const part of message.parts) {
      if (part.part_kind === 'text') { if (part.content) turn.parts.push({ type: 'text', id: newKey(), text: part.content }); }
      else if (part.part_kind === 'thinking') { if (part.content) turn.parts.push({ type: 'thinking', id: newKey(), text: part.content }); }
      else if (part.part_kind === 'file') turn.parts.push({ type: 'file', id: newKey(), url: dataUrl(part.content.media_type, part.content.data), media: part.content.media_type });
      else if (part.part_kind === 'tool-call' || part.part_kind === 'builtin-tool-call') {
        const call: Call = { type: 'call', id: part.tool_call_id, tool: part.tool_name, state: 'open', typed: '', input: inputOf(part.args), provider: part.part_kind !== 'tool-call' };
        if (decided.has(call.id)) Object.assign(call, { waited: true, allowed: decided.get(call.id) ?? undefined });
        calls.set(call.id, call);
        turn.parts.push(call);
      } else if (part.part_kind === 'builtin-tool-return') {
        const call = calls.get(part.tool_call_id);
        if (call) answered(call, part, NaN);
      }
    }
  });
  for (const [id, parts] of Object.entries(state.answers)) {
    const call = calls.get(id);
    if (call) for (const part of parts) if (part.tool_call_id === id) answered(call, part, sent);
  }
  if (state.error !== null) {
    const turn = last();
    turn.error = state.error;
    for (const part of turn.parts) if (part.type === 'call' && part.state === 'open') part.state = 'failed'; // its tool raised
  }
  for (const wait of state.waiting) {
    const call = calls.get(wait.inside ?? wait.id) ?? calls.get(wait.id);
    if (call) call.state = 'asking';
  }
  return turns;
}

function inputOf(args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {};
  try { return JSON.parse(args); } catch { return args; }
}

/** Take an event of the answer that is coming. */
export function takeEvent(turn: AnswerTurn, event: any) {
  turn.version++;
  // A run that goes on begins with its last response, which is shown already.
  if (turn.replayed && /^(text|reasoning)-/.test(event.type)) return;
  if (/^tool-(input-available|output)/.test(event.type)) turn.replayed = false;
  const parts = turn.parts;
  const call = () => parts.find((part): part is Call => part.type === 'call' && part.id === event.toolCallId);
  const closeThinking = () => {
    for (const part of parts) if (part.type === 'thinking' && part.live) Object.assign(part, { live: false, ms: Date.now() - part.started! });
  };
  switch (event.type) {
    case 'text-start': closeThinking(); parts.push({ type: 'text', id: event.id, text: '' }); break;
    case 'reasoning-start': closeThinking(); parts.push({ type: 'thinking', id: event.id, text: '', started: Date.now(), live: true }); break;
    case 'text-delta': case 'reasoning-delta': {
      const part = parts.find((one) => one.id === event.id);
      if (part && 'text' in part) part.text += event.delta;
      break;
    }
    case 'reasoning-end': closeThinking(); break;
    case 'file': parts.push({ type: 'file', id: newKey(), url: event.url, media: event.mediaType }); break;
    case 'tool-input-start': {
      closeThinking();
      if (call()) break; // the run goes on after a decision: its call is shown already
      parts.push({ type: 'call', id: event.toolCallId, tool: event.toolName, state: 'writing', typed: '', provider: event.providerExecuted });
      break;
    }
    case 'tool-input-delta': { const one = call(); if (one && one.state === 'writing') one.typed += event.inputTextDelta; break; }
    case 'tool-input-available': {
      let one = call();
      if (!one) parts.push(one = { type: 'call', id: event.toolCallId, tool: event.toolName, state: 'running', typed: '' });
      if (one.state !== 'done') Object.assign(one, { state: 'running', input: event.input, started: Date.now() });
      break;
    }
    case 'tool-output-available': case 'tool-output-error': {
      const one = call();
      if (!one) break;
      const failed = event.type === 'tool-output-error';
      Object.assign(one, failed ? { state: 'failed', error: event.errorText } : { state: 'done', output: event.output });
      if (one.started) one.ms = Date.now() - one.started;
      break;
    }
    case 'error': turn.error = event.errorText; break;
    case 'finish': closeThinking(); turn.live = false; break;
  }
}
