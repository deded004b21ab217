import type { ShownArguments } from '../shared/marks';
export type Summary = {
  id: string; agent: string | null; status: string; parent: string | null; base: string | null; conversation: string | null;
  begun: number; updated: number; steps: number; seq: number; prompt: string; error: string | null; output: string; tokens: number;
  calls: number; cost: number | null; models: string[]; call?: string | null;
};
export type CallTrace = {
  id: string; tool: string; args: Record<string, unknown>; effect: string | null; at: number | null; ended: number | null;
  outcome: string | null; result: unknown; progress: { at: number; content: unknown }[]; inner?: { tool: string; at: number; ended: number | null }[];
};
export type Step = {
  step: number; seq?: number; at: number; shared: boolean; request: [number, number]; response: number | null; responded: number | null;
  model?: string | null; input?: number; cached?: number; output?: number; cost?: number | null; calls: CallTrace[];
  waits: { at: number; until: number | null; calls: string[]; decided: any; by?: string | null }[];
  acts?: number[]; sent?: number | null; after_hooks?: [number, number];
};
export type Change = { what: string; before: any; after: any; at?: number; left_out?: [number, number] };
export type Act = { by: string; hook: string; did: 'changed' | 'answered' | 'decided' | 'recovered' | 'raised'; changes?: Change[]; call?: { id: string; tool: string }; error?: string };
export type Sent = {
  model?: string; settings?: Record<string, unknown>; tools?: Record<string, any>; native_tools?: unknown[]; output?: { mode?: string; allow_text?: boolean };
  settings_from?: Record<string, string>; instructions_from?: { by: string; text: string }[]; fitted?: Change[];
};
export type Part = { part_kind: string; content?: any; tool_name?: string; tool_call_id?: string; args?: any; outcome?: string };
export type Message = { kind: 'request' | 'response'; parts: Part[]; instructions?: string | null; timestamp?: string; model_name?: string; finish_reason?: string | null };
export type WaitingCall = { kind: 'approval' | 'result'; id: string; tool: string; args: Record<string, unknown>; about: any; digest: string; shown?: ShownArguments };
export type Trace = {
  run: Omit<Summary, 'error' | 'output'> & { error: { type: string; message: string } | null; output: unknown; agent_digest?: any; metadata?: any };
  messages: Message[]; lists: number[][]; steps: Step[]; waiting: WaitingCall[]; children: Summary[]; forks: Summary[]; failure?: string | null;
  acts?: Act[]; sent?: Sent[]; cursor?: string;
};
/** What is new in a run since `since`: see `Tracer.news` of the server. Without `since` it is a whole trace; with nothing but a cursor, nothing is new. */
export type News = { cursor: string; since?: string; failure?: string | null } & Partial<{
  run: Partial<Trace['run']>; waiting: WaitingCall[]; children: Record<string, Summary>; forks: Summary[]; messages: Record<string, Message>;
  lists: Record<string, { from: number; more: number[] }>; steps: Step[]; acts: Act[]; sent: Sent[];
}>;

/** A trace with what is new in it. What has not changed stays the same object, and is not drawn again. */
export function withNews(trace: Trace, news: News): Trace {
  const failure = news.failure ?? null;
  if (news.since === undefined) return failure === (trace.failure ?? null) ? trace : { ...trace, failure };
  const messages = [...trace.messages], lists = [...trace.lists], steps = [...trace.steps];
  for (const [number, message] of Object.entries(news.messages ?? {})) messages[+number] = message;
  for (const [number, { from, more }] of Object.entries(news.lists ?? {})) lists[+number] = [...(lists[+number] ?? []).slice(0, from), ...more];
  for (const step of news.steps ?? []) {
    const place = steps.findIndex((one) => one.step === step.step);
    const calls = new Map((steps[place]?.calls ?? []).map((call) => [call.id, call]));
    for (const call of step.calls) calls.set(call.id, call);
    steps[place < 0 ? steps.length : place] = { ...step, calls: [...calls.values()] };
  }
  const children = new Map(trace.children.map((child) => [child.id, child]));
  for (const [id, child] of Object.entries(news.children ?? {})) children.set(id, child);
  return {
    ...trace, run: { ...trace.run, ...news.run }, waiting: news.waiting ?? trace.waiting, forks: news.forks ?? trace.forks, children: news.children ? [...children.values()] : trace.children,
    messages, lists, steps, failure, cursor: news.cursor,
    ...(news.acts ? { acts: [...(trace.acts ?? []), ...news.acts] } : {}), ...(news.sent ? { sent: [...(trace.sent ?? []), ...news.sent] } : {}),
  };
}

/** The messages of a request: as they were sent, or as they were before hooks, which is what a fork changes. */
export function requestOf(trace: Trace, step: Step, beforeHooks = false): Message[] {
  const [list, count] = (!beforeHooks && step.after_hooks) || step.request;
  return trace.lists[list]!.slice(0, count).map((index) => trace.messages[index]!);
}
export const actsOf = (trace: Trace, step: Step): Act[] => (step.acts ?? []).map((number) => trace.acts![number]!);
export const endOf = (step: Step): number => Math.max(step.responded ?? step.at, ...step.calls.map((call) => call.ended ?? call.at ?? 0), ...step.waits.map((wait) => wait.until ?? wait.at));
const texts = new WeakMap<Message, string>();
/** A message as text, for comparisons; a step has the messages of all steps before it. */
export function textOf(message: Message | undefined): string {
  if (!message) return '';
  let text = texts.get(message);
  if (text === undefined) {
    text = message.parts.map((part) => {
      if (part.part_kind === 'tool-call') return `${part.tool_name}(${argsText(part.args)})`;
      return typeof part.content === 'string' ? part.content : JSON.stringify(part.content ?? '', null, 2);
    }).join('\n');
    texts.set(message, text);
  }
  return text;
}
export const argsText = (args: unknown): string => (typeof args === 'string' ? args : JSON.stringify(args ?? {}, null, 2));

/** A scale of time on which waiting for people takes little room. */
export function scaleOf(trace: Trace): { place: (at: number) => number; total: number; active: number } {
  const start = trace.steps[0]?.at ?? trace.run.begun;
  const now = trace.run.status === 'waiting' || trace.run.status === 'running' ? Date.now() / 1000 : 0;
  const gaps: [number, number][] = trace.steps.flatMap((step) => step.waits.map((wait): [number, number] => [wait.at, Math.max(wait.until ?? now, wait.at)]));
  const own = trace.steps.findIndex((step) => !step.shared); // a fork may be made long after what it shares
  if (own > 0) gaps.push([Math.min(endOf(trace.steps[own - 1]!), trace.steps[own]!.at), trace.steps[own]!.at]);
  const end = Math.max(now, ...trace.steps.map(endOf), start + 0.001);
  const waiting = gaps.reduce((sum, [from, to]) => sum + to - from, 0);
  const active = Math.max(end - start - waiting, 0.001);
  const room = waiting > active ? active * 0.08 : waiting / Math.max(gaps.length, 1); // for each gap
  const total = active + room * gaps.length;
  const place = (at: number) => {
    let passed = at - start;
    for (const [from, to] of gaps) {
      if (at >= to) passed += room - (to - from);
      else if (at > from) passed += ((at - from) / (to - from)) * room - (at - from);
    }
    return Math.min(Math.max(passed / total, 0), 1);
  };
  return { place, total: end - start, active };
}
