import { html } from 'hono/html';
import { formatInstant } from '../../../presentation/text/time.ts';
import type { Html } from './layout.ts';

/** An instant, in milliseconds since the epoch: exact on hover, and in the viewer's zone by {@link INSTANTS_SCRIPT}, else in UTC. */
export function instant(at: number): Html {
  const exact = new Date(at).toISOString();
  return html`<time datetime="${exact}" title="${exact}">${formatInstant(at, 'UTC')}</time>`;
}

/** Shows every instant of a page in the zone and the language of whoever reads it, and says that zone in its form. */
export const INSTANTS_SCRIPT = `
const words = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });
for (const time of document.querySelectorAll('time')) time.textContent = words.format(new Date(time.dateTime));
const zone = document.getElementById('zone');
if (zone && zone.value === '') {
  zone.value = words.resolvedOptions().timeZone;
  for (const place of document.querySelectorAll('[data-zone]')) place.textContent = zone.value;
}
`;
