import { Icon } from './icons';

export type ShownArguments = { text: string; marks: string[] };

/** What to look out for in the arguments of a call, before a person decides about it: what they are, with nothing hidden. */
export function Marks({ shown }: { shown?: ShownArguments }) {
  if (!shown?.marks.length) return null;
  return (
    <div class="notice is-red" role="alert"><Icon name="alert" />
      <div>{shown.marks.map((mark) => <p key={mark}>{mark}</p>)}<pre class="mono" dir="ltr">{shown.text}</pre></div>
    </div>
  );
}
