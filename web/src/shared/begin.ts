import { render } from 'preact';
import type {} from './early';

/** Bring the page to life that was painted already: its elements stay, with what was typed and with the focus, and attributes
    that are others in this browser, such as the theme's, are set. */
export function begin(app: preact.ComponentChild) {
  render(app, document.getElementById('app')!);
  window.stopPressed?.();
  if (window.pressed?.isConnected) window.pressed.click();
  delete document.documentElement.dataset.opens;
}
