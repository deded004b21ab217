// Stands in the page itself, before its first element: what has to be known before anything is painted. It reads no storage, since
// a page waits for that longer than for all else; the server knows the theme from a cookie.
const root = document.documentElement;
// The address leads to a conversation or a run, so that what is shown without one would only flash up.
if (/[#&](c|run)=./.test(location.hash)) root.dataset.opens = '';
// A button that is pressed before the page has come to life does what it is for when it has: see `begin`.
addEventListener('click', pressed, true);
function pressed(event: Event) { window.pressed = (event.target as Element).closest('button') ?? undefined; }
window.stopPressed = () => removeEventListener('click', pressed, true);

declare global { interface Window { pressed?: HTMLButtonElement; stopPressed?: () => void } }
export {};
