import { useRich } from './rich';

/** Text of a model: Markdown as soon as that can be drawn, and until then the text as it was written. */
export function Prose({ text }: { text: string }) {
  const rich = useRich();
  return rich ? <rich.Markdown text={text} /> : <div class="prose"><p class="words">{text}</p></div>;
}
