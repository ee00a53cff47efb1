import { html } from 'hono/html';
import { IANAZone } from 'luxon';
import { z } from 'zod';
import { callStateSchema } from '../../../gate/types.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { Html } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH } from '../session/cookies.ts';
import { CALLS, STATES } from './texts.ts';
import type { Viewer } from './viewer.ts';

/** A filter of a list that is a text, and one that is a day. */
export const text = z.string().trim().max(300).default('');
export const day = z.iso.date().or(z.literal('')).default('');
/** What the address of the list asks for. */
export const querySchema = z.strictObject({
  /** Whose: empty for all that the viewer sees by themselves. */
  which: z.enum(['', 'decided', 'waiting']).default(''),
  text,
  tool: text,
  state: callStateSchema.or(z.literal('')).default(''),
  person: text,
  program: text,
  session: text,
  from: day,
  to: day,
  /** The zone that the days are of; empty: UTC. */
  zone: z
    .string()
    .max(100)
    .refine((zone) => zone === '' || IANAZone.isValidZone(zone))
    .default(''),
  cursor: z.string().max(2_000).default(''),
});
export type CallsQuery = z.infer<typeof querySchema>;

const FILTERS = ['text', 'tool', 'person', 'program', 'session', 'from', 'to'] as const;
type Filter = (typeof FILTERS)[number];

/** Whether somebody is the person that was typed: a part of their name, with an @ or without, or their id, whole or in Slack. */
export function personMatcher(
  typed: string,
): (one: { readonly id: string; readonly name: string }) => boolean {
  const wanted = typed.replace(/^@(?=.)/, '').toLowerCase();
  return ({ id, name }) => {
    const known = id.toLowerCase();
    return known === wanted || known.endsWith(`:${wanted}`) || name.toLowerCase().includes(wanted);
  };
}

/** Says which filters of an address can't be read: nothing is listed then, as one that is left out lists more. */
export function unreadable({ issues }: z.ZodError): Html {
  const names = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])],
  );
  const named = visible([...new Set(names)].join(', '));
  return html`<p class="warning" role="alert">${CALLS.unreadable(named)}</p>`;
}

/** The form that searches calls. Its days are of the zone of whoever reads the page, which the page's script fills in. */
export function callFilters(
  { publicUrl }: Pick<WebPorts, 'publicUrl'>,
  query: CallsQuery,
  { isAdmin }: Pick<Viewer, 'isAdmin'>,
): Html {
  const shown = FILTERS.filter((name) => isAdmin || query.which !== '' || name !== 'person');
  const inputs = shown.map((name) => input(name, query));
  const states = [
    ['', CALLS.any] as const,
    ...callStateSchema.options.map((it) => [it, STATES[it]] as const),
  ];
  const whose = [
    ['', isAdmin ? CALLS.which.all : CALLS.which.own] as const,
    ['decided', CALLS.which.decided] as const,
    ['waiting', CALLS.which.waiting] as const,
  ];
  const isFiltered = query.which !== '' || query.state !== '' || FILTERS.some((name) => query[name] !== '');
  // Folded, it leaves a phone's screen to the calls.
  return html`<details${isFiltered ? html` open` : null}><summary>${CALLS.search}</summary><form method="get" action="${publicUrl()}${CALLS_PATH}" class="filter">
${select('which', CALLS.whose, whose, query.which)}${inputs}${select('state', CALLS.state, states, query.state)}
<input type="hidden" id="zone" name="zone" value="${query.zone}"><p><button class="go">${CALLS.filter}</button></p></form></details>`;
}

function input(name: Filter, query: CallsQuery): Html {
  const isDay = name === 'from' || name === 'to';
  const hint = name === 'tool' ? html` title="${CALLS.toolHint}"` : null;
  const zone = isDay ? html` (<span data-zone>${query.zone || 'UTC'}</span>)` : null;
  return html`<div><label for="f-${name}">${CALLS.filters[name]}${zone}</label><input type="${isDay ? 'date' : 'text'}" id="f-${name}" name="${name}" value="${query[name]}"${hint}></div>`;
}

function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, words: string])[],
  chosen: string,
): Html {
  const shown = options.map(([value, words]) =>
    value === chosen
      ? html`<option value="${value}" selected>${words}</option>`
      : html`<option value="${value}">${words}</option>`,
  );
  return html`<div><label for="f-${name}">${label}</label><select id="f-${name}" name="${name}">${shown}</select></div>`;
}
