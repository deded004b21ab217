import { useRich } from './rich';

export const BRIEF = 1_500;

/** A value of a tool, as one would read it: text as text, anything else as JSON; long ones are cut until they are opened. */
export function Value({ value, language = 'json' }: { value: unknown; language?: string }) {
  const rich = useRich();
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(value, null, 2) ?? 'null';
  const drawn = isText || !rich ? text : rich.coloured(text, language);
  if (text.length <= BRIEF) return <pre class="value" tabIndex={0}>{drawn}</pre>;
  return (
    <details class="long-value">
      <summary><pre class="value">{text.slice(0, 400)}…</pre><span class="more">Show all {text.length.toLocaleString('en')} characters</span></summary>
      <pre class="value" tabIndex={0}>{drawn}</pre>
    </details>
  );
}
