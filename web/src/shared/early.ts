import { painted } from './painted';

// Stands in the page itself, before its first element: what has to be known before anything is painted. It reads no storage, since
// a page waits for that longer than for all else; the server knows the theme from a cookie.
const root = document.documentElement;
// The address leads to a conversation or a run, so that what is shown without one would only flash up.
if (/[#&](c|run)=./.test(location.hash)) root.dataset.opens = '';
// A button that is pressed before the page has come to life does what it is for when it has: see `begin`.
addEventListener('click', pressed, true);
function pressed(event: Event) { window.pressed = (event.target as Element).closest('button') ?? undefined; }
// So does Enter in the field for messages, where it sends what was typed.
addEventListener('keydown', entered, true);
function entered(event: KeyboardEvent) {
  const field = event.target as HTMLTextAreaElement;
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || field.localName !== 'textarea') return;
  event.preventDefault();
  window.pressed = field.form?.querySelector<HTMLButtonElement>('[type=submit]') ?? undefined;
}
window.stopPressed = () => { removeEventListener('click', pressed, true); removeEventListener('keydown', entered, true); };

// The files of the script, by the build. The module of the page is the first one; those that it imports need not wait for it.
declare const FILES: string[];
void painted().then(() => { for (const file of FILES) void import(file); });

declare global { interface Window { pressed?: HTMLButtonElement; stopPressed?: () => void } }
