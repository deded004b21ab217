// What capabilities changed on the way of a step, and what was sent besides messages.
import type { ComponentChildren } from 'preact';
import { Diff } from '../shared/diff';
import { plural, titled } from '../shared/format';
import { Icon, type IconName } from '../shared/icons';
import { Value } from '../shared/value';
import { type Act, argsText, type Change, type Part, type Sent } from './model';

const json = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '');

function partText(part: Part): string {
  const what = [part.part_kind, part.tool_name].filter(Boolean).map(String).join(' ');
  const said = String(part.part_kind).endsWith('tool-call') ? argsText(part.args) : json(part.content);
  return said.includes('\n') ? `${what}:\n${said}` : `${what}: ${said}`;
}

function messageText(value: any): string {
  if (!value || typeof value !== 'object' || !Array.isArray(value.parts)) return json(value);
  const { parts, kind, instructions, usage, ...rest } = value;
  const more = Object.keys(rest).length ? [json(rest)] : [];
  return [`[${kind ?? 'message'}]`, ...(instructions ? [`instructions: ${instructions}`] : []), ...parts.map((part: any) => (part && typeof part === 'object' ? partText(part) : json(part))), ...more].join('\n');
}

/** A change as two texts, for a diff that one can read. */
function textsOf(change: Change): [string, string] {
  const { what, before, after } = change;
  const left = (count: number) => (count ? `\n… and ${plural(count, 'more')}`.replace(/s$/, '') : '');
  const [a = 0, b = 0] = change.left_out ?? [];
  if (what === 'messages' || what === 'response') {
    const text = (value: any) => (Array.isArray(value) ? value.map(messageText).join('\n\n') : value === null || value === undefined ? '' : messageText(value));
    return [text(before) + left(a), text(after) + left(b)];
  }
  if (what === 'tools' && before && after && typeof before === 'object' && typeof after === 'object') {
    // A tool that is hidden or added is a line; one that is another now is shown in full.
    const text = (own: Record<string, any>, other: Record<string, any>) => Object.entries(own).map(([name, tool]) => (Object.hasOwn(other, name) ? `${name}: ${json(tool)}` : `${name}${tool?.description ? `: ${tool.description}` : ''}`)).join('\n');
    return [text(before, after) + left(a), text(after, before) + left(b)];
  }
  const text = (value: unknown) => (value === null || value === undefined || (typeof value === 'object' && !Object.keys(value).length) ? '' : json(value));
  return [text(before) + left(a), text(after) + left(b)];
}

const POINTS: [RegExp, string][] = [
  [/^prepare_(output_)?tools$/, 'when tools are listed'], [/^get_wrapper_toolset$/, 'around all tools'], [/^handle_deferred_tool_calls$/, 'for calls that wait'],
  [/^before_/, 'before the'], [/^wrap_/, 'around the'], [/^after_/, 'after the'], [/^on_/, 'when it failed: the'],
];
const NOUNS = new Map(Object.entries({ model_request: 'request', tool_validate: 'check of arguments', tool_execute: 'call', output_validate: 'check of the output', output_process: 'output', node_run: 'node', run: 'run' }));

function placeText(hook: string): string {
  const [, words] = POINTS.find(([pattern]) => pattern.test(hook)) ?? [null, ''];
  const noun = NOUNS.get(hook.replace(/^(before|wrap|after|on)_/, '').replace(/_error$/, ''));
  return noun && words ? `${words} ${noun}` : words;
}

const LOOKS: Record<Act['did'], [string, IconName, string]> = {
  changed: ['changed', 'diff', ''], answered: ['answered instead', 'shield', 'is-amber'], decided: ['decided', 'shield', 'is-amber'],
  recovered: ['recovered', 'retry', 'is-amber'], raised: ['raised', 'alert', 'is-red'],
};

const WHAT = new Map(Object.entries({ args: 'the arguments', messages: 'the messages', tools: 'the tools', settings: 'the settings', result: 'the result', response: 'the response', output: 'the output', model: 'the model', instructions: 'the instructions', node: 'the node', decisions: 'about calls', 'native tools': 'the tools of the provider' }));

export function ActView({ act }: { act: Act }) {
  const [verb, icon, look] = LOOKS[act.did] ?? [act.did, 'diff', ''];
  const what = (act.changes ?? []).map((change) => WHAT.get(change.what) ?? change.what).join(', ');
  return (
    <section class="act" aria-label={`${act.by} ${verb} ${what}`}>
      <div class="act-head"><Icon name={icon} size={15} /><p title={act.hook}><strong>{act.by}</strong> <span class={look === 'is-red' ? 'is-error' : ''}>{verb}{what && ` ${what}`}</span> <span class="soft">{placeText(act.hook)}</span></p></div>
      {act.error && <p class="small-text is-error words">{act.error}</p>}
      {act.changes?.map((change, index) => {
        const [before, after] = textsOf(change);
        return <Diff key={index} before={before} after={after} label={`${change.what}, before and after`} />;
      })}
    </section>
  );
}

export function Acts({ acts }: { acts: Act[] }) {
  return <>{acts.map((act, index) => <ActView key={index} act={act} />)}</>;
}

/** Where in a step something is shown: beside what it changed. */
export function spotOf(act: Act): 'request' | 'response' | 'call' | 'end' {
  if (act.call) return 'call';
  if (/^(before_model_request|prepare_|get_wrapper|before_node_run)/.test(act.hook)) return 'request';
  if (/(model_request)/.test(act.hook)) return act.changes?.some((change) => change.what !== 'response' && change.what !== 'error') ? 'request' : 'response';
  return 'end';
}

function Named({ name, children, from }: { name: string; children: ComponentChildren; from?: string }) {
  return <div class="named"><dt class="mono cut">{name}</dt><dd class="row wrap">{children}{from && <span class="badge" title="Where it comes from">{from}</span>}</dd></div>;
}

/** Everything of a request but its messages. */
export function SentView({ sent }: { sent: Sent }) {
  const tools = Object.entries(sent.tools ?? {});
  const settings = Object.entries(sent.settings ?? {});
  return (
    <>
      <dl class="named-list">
        <Named name="model">{sent.model}</Named>
        {settings.map(([name, value]) => <Named key={name} name={name} from={sent.settings_from && Object.hasOwn(sent.settings_from, name) ? String(sent.settings_from[name]) : undefined}><span class="mono">{json(value)}</span></Named>)}
        <Named name="output">{String(sent.output?.mode ?? '')}{sent.output?.allow_text && sent.output.mode !== 'text' ? ', or text' : ''}</Named>
      </dl>
      {(sent.instructions_from ?? []).length > 0 && <section class="stack"><p class="label">Instructions</p>{sent.instructions_from!.map((one, index) => <div key={index} class="part"><div class="row part-head"><span class="badge">{one.by}</span></div><Value value={one.text} /></div>)}</section>}
      {tools.length > 0 && <section class="stack"><p class="label">{plural(tools.length, 'tool')}</p>{tools.map(([name, tool]) => (
        <details key={name} class="fold tool-fold"><summary><span class="turner"><Icon name="right" size={14} /></span><span class="mono">{name}</span>{tool?.capability_id && <span class="badge">{String(tool.capability_id)}</span>}<span class="cut">{String(tool?.description ?? '')}</span></summary><Value value={tool} /></details>
      ))}</section>}
      {(sent.native_tools ?? []).length > 0 && <section class="stack"><p class="label">Tools of the provider</p>{sent.native_tools!.map((tool, index) => <Value key={index} value={tool} />)}</section>}
      {(sent.fitted ?? []).length > 0 && <Acts acts={[{ by: 'stead', hook: 'before_model_request', did: 'changed', changes: sent.fitted }]} />}
    </>
  );
}

export const sentGist = (sent: Sent): string => [sent.model?.split(':').at(-1), plural(Object.keys(sent.tools ?? {}).length, 'tool'), plural(Object.keys(sent.settings ?? {}).length, 'setting')].filter(Boolean).join(' · ');

/** Decisions about calls that waited, in words. */
export function Decided({ decided, by, names }: { decided: any; by: string | null | undefined; names: Map<string, string> }) {
  const entries = [...Object.entries(decided?.approvals ?? {}), ...Object.entries(decided?.calls ?? {}).map(([id, value]): [string, any] => [id, { result: value }])] as [string, any][];
  const word = (value: any) => (value === true ? 'allowed' : value === false ? 'denied' : 'result' in Object(value) ? 'answered' : Object(value).kind === 'tool-denied' ? 'denied' : 'allowed');
  return (
    <>{entries.map(([id, value]) => (
      <section key={id} class="act">
        <div class="act-head"><Icon name="shield" size={15} /><p><strong>{titled(names.get(id) ?? id)}</strong> {word(value)} <span class="soft">{by === 'person' ? 'by a person' : by === 'capability' ? 'by a capability' : ''}</span></p></div>
        {value?.message && <p class="small-text words">{String(value.message)}</p>}
        {value?.override_args && <><p class="label">With other arguments</p><Value value={value.override_args} /></>}
        {'result' in Object(value) && <Value value={value.result} />}
      </section>
    ))}</>
  );
}
