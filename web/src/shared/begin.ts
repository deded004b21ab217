import { render } from 'preact';
import type {} from './early';

/** Bring the page to life that was painted already: its elements stay, with what was typed and with the focus, and attributes
    that are others in this browser, such as the theme's, are set. */
export function begin(app: preact.ComponentChild) {
  const root = document.getElementById('app')!;
  const fields = [...root.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input[type=search]')];
  // They were painted empty, or with their first choice: anything else was entered meanwhile.
  const entered = fields.flatMap((field) => ((field instanceof HTMLSelectElement ? field.selectedIndex > 0 : field.value) ? [{ field, value: field.value }] : []));
  render(app, root);
  window.stopPressed?.();
  for (const { field, value } of entered) {
    field.value = value;
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
  }
  const chosen = root.querySelectorAll<HTMLInputElement>('input[type=file]');
  for (const field of chosen) if (field.files?.length) field.dispatchEvent(new Event('change', { bubbles: true }));
  if (window.pressed?.isConnected) window.pressed.click();
  delete document.documentElement.dataset.opens;
}
