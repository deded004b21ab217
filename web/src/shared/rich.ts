// Markdown and coloured code are two thirds of the script, and no page needs them before there is something to read.
import { useEffect, useState } from 'preact/hooks';

type Rich = typeof import('./markdown');

let rich: Rich | undefined;
let loading: Promise<Rich> | undefined;

export function loadRich(): Promise<Rich> {
  return loading ??= import('./markdown').then((found) => rich = found, (error) => { loading = undefined; throw error; });
}

/** Load it when the page has nothing else to do. A page that cannot load it shows text as it was written. */
export const loadRichSoon = () => setTimeout(() => loadRich().catch(() => undefined), 50);

/** What draws Markdown and code, once it is there. */
export function useRich(): Rich | undefined {
  const [, draw] = useState(false);
  useEffect(() => {
    if (rich) return;
    let gone = false;
    loadRich().then(() => { if (!gone) draw(true); }, () => undefined);
    return () => { gone = true; };
  }, []);
  return rich;
}
