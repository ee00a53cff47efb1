import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createCalendarServer } from '../../../../src/app/demo-servers/calendar/server.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { describeUnsentDefaults } from '../../../../src/presentation/unsent-defaults.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { startAppWithModel } from '../../../helpers/app.ts';
import { objectsIn } from '../../../helpers/hostile-calls.ts';
import { ROOT } from '../../../helpers/process.ts';
import { callView, flat, NOW, resolve, withTool } from './fixtures.ts';

/** The input schema of the example calendar's tool, as the calendar lists it. */
async function createEventSchema(): Promise<JsonObject> {
  const server = createCalendarServer({
    file: join('/nonexistent', 'calendar.json'),
    now: () => NOW,
    timeZone: 'Europe/Berlin',
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const schema = z.json().parse(tools.find(({ name }) => name === 'create_event')?.inputSchema);
  return isJsonObject(schema) ? schema : {};
}

/** How a moment is written, for Slack to fill in. */
const TOKENS = '{date_short_pretty}, {time}';

/** All words that a reader sees: a moment has three (“tomorrow, 5:36 AM”), and a menu none until it's opened. */
function wordsOn(blocks: readonly object[]): string[] {
  const parts = objectsIn(z.json().parse(JSON.parse(JSON.stringify(blocks))));
  const later = new Set(
    parts.flatMap(({ options, confirm }) => objectsIn([options ?? null, confirm ?? null])),
  );
  return parts
    .filter((part) => !later.has(part))
    .flatMap(({ text }) =>
      typeof text === 'string'
        ? [text.replace(/<!date\^\d+\^([^|]*)\|[^>]*>/g, '$1').replace(TOKENS, 'tomorrow, 5:36 AM')]
        : [],
    )
    .flatMap((text) => text.split(/\s+/))
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** The words that are left without these, each taken once. */
function without(words: readonly string[], values: readonly string[]): string[] {
  return values.reduce(
    (left, value) => {
      expect(left).toContain(value);
      return left.toSpliced(left.indexOf(value), 1);
    },
    [...words],
  );
}

describe('the simple card', () => {
  it('has at most 25 words besides the values of its arguments', async () => {
    const args = { title: 'Standup', start: '2026-11-24T09:00:00', duration_minutes: 15 };
    const simple = withTool(await createEventSchema(), args);
    const verdict = { ...simple.call.verdict, rule: 'default' };
    const { blocks } = callCard({ ...simple, call: { ...simple.call, verdict } });
    expect(flat(blocks)).toContain('Start  Tue 24 Nov, 09:00 local time');
    const values = [...'Standup Tue 24 Nov, 09:00 15 min primary, Europe/Berlin'.split(' ')];
    const inHeadline = '‘Standup’, Tue 24 Nov 09:00'.split(' ');
    const words = without(wordsOn(blocks), [...values, ...inHeadline]);
    expect(words.length, words.join(' ')).toBeLessThanOrEqual(25);
    expect(words).toEqual(expect.arrayContaining(['Title', 'Approve', 'Expires', 'calendar.create_event']));
  });
});

describe('the card of a change to what was looked up', () => {
  const subject = { name: 'Standup', fields: { title: 'Standup', start: '2026-11-23T09:00:00' } };
  const properties = { event_id: { type: 'string' }, start: { type: 'string' } };

  function wordsFor(name: string, args: JsonObject, destructive: boolean) {
    const view = withTool({ properties }, args);
    const tool = {
      ...view.call.tool,
      name,
      modelName: name,
      title: name === 'update_event' ? 'Update event' : 'Delete event',
      destructive,
    };
    const verdict = { ...view.call.verdict, rule: 'default' };
    return wordsOn(
      callCard({ ...view, call: { ...view.call, tool, verdict }, resolve: { ...resolve, subject } }).blocks,
    );
  }

  it.each([
    [
      'update_event',
      { event_id: 'evt_1', start: '2026-11-27T09:00:00' },
      'evt_1 Fri 27 Nov, 09:00 Mon 23 Nov, 09:00 ‘Standup’: Fri 27 Nov 09:00 Mon 23 Nov 09:00',
    ],
    ['delete_event', { event_id: 'evt_1' }, 'evt_1 ‘Standup’'],
  ])('has at most 25 words besides what it changes: %s', (name, args, values) => {
    const words = wordsFor(name, args, name === 'delete_event');
    const taken = values.split(' ').filter((value) => words.includes(value));
    const left = without(words, taken);
    expect(left.length, left.join(' ')).toBeLessThanOrEqual(25);
    expect(words).toContain('Approve');
    expect(words).not.toContain('italics:');
  });
});

const configSchema = z.object({ policy: z.json(), cards: z.json(), mcpServers: z.json() });

describe('the card of a change in the calendar as it comes, looked up', () => {
  it.each([
    [
      'update_event',
      { start: '2026-11-27T09:00:00' },
      'Move ‘Standup’ from Tue 24 Nov 09:00 to Fri 27 Nov 09:00 Tue 24 Nov, 09:00 Fri 27 Nov, 09:00',
    ],
    ['delete_event', {}, 'Delete ‘Standup’, Tue 24 Nov 09:00'],
  ])('has at most 25 words besides what it changes: %s', async (name, changed, headlineAndChange) => {
    const own = configSchema.parse(parse(readFileSync(join(ROOT, 'countersign.yaml'), 'utf8')));
    const { model, driver } = await startAppWithModel({ file: own });
    const threadTs = driver.as('ana').post('general', '@countersign plan it, then change it');
    const shown = (words: string) =>
      driver.waitUntil(() =>
        driver
          .messages('general', { threadTs })
          .find((message) => message.byApp && driver.text(message).includes(words)),
      );
    await model.calls([
      { name: 'calendar__create_event', arguments: { title: 'Standup', start: '2026-11-24T09:00:00' } },
    ]);
    await driver.as('ana').click(await shown('[Approve]'), 'Approve');
    await model.calls([{ name: `calendar__${name}`, arguments: { event_id: 'evt_1', ...changed } }]);
    const { blocks } = await shown(headlineAndChange.split(' ‘')[0] ?? '');
    // The event as an argument, with what was looked up of it.
    const event =
      `primary evt_1 (“Standup”, Tue 24 Nov, 09:00${name === 'delete_event' ? ' Europe/Berlin' : ''})`.split(
        ' ',
      );
    const words = without(wordsOn(blocks), [...headlineAndChange.split(' '), ...event]);
    expect(words.length, words.join(' ')).toBeLessThanOrEqual(25);
    expect(words).toEqual(expect.arrayContaining(['Event', 'Approve', 'Expires', `calendar.${name}`]));
  });
});

describe('defaults of arguments that are not sent', () => {
  const properties = {
    duration_minutes: { type: 'integer', default: 30 },
    remind: { type: 'boolean', default: false },
    calendar: { type: 'string', default: 'primary' },
    note: { type: 'string', default: 'Approved by Ana' },
    empty: { type: 'string', default: '' },
    more: { type: 'object', default: {} },
  };

  it('are one line, of what can be no sentence', () => {
    const tool = { inputSchema: { properties }, trusted: false };
    expect(describeUnsentDefaults(tool, { remind: true }, resolve)).toBe(
      'Default: Duration minutes 30 min, Calendar primary, … and 1 more default',
    );
    expect(describeUnsentDefaults({ ...tool, inputSchema: {} }, {}, resolve)).toBeNull();
  });

  const more = {
    status: { type: 'string', enum: ['in progress', 'done'], default: 'in progress' },
    seen_by: { default: 'pub', oneOf: [{ const: 'pub', title: 'Everybody' }, { const: 'prv' }] },
    tags: { type: 'array', default: ['a', 'b c', 3, true, null] },
    retry: { type: 'object', default: { times: 3, 'a: b': { wait: { seconds: 5 } } } },
  };

  it.each([
    [true, 'Everybody (pub)'],
    [false, 'pub'],
  ])('are those of choices, lists and objects too, in short, of a server trusted: %s', (trusted, seenBy) => {
    expect(describeUnsentDefaults({ inputSchema: { properties: more }, trusted }, {}, resolve)).toBe(
      `Default: Status “in progress”, Seen by ${seenBy}, Tags [a, “b c”, 3, … and 2 more], ` +
        'Retry {times: 3, “a: b”: {wait: {…}}}',
    );
  });

  it('are counted where they are many, and all in the full view', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, { default: at }]));
    const view = withTool({ properties: { ...many, ...properties } }, { calendar: 'work' });
    expect(flat(callCard(view).blocks)).toMatch(/Default: P0 0, [^\n]*, P4 4, … and 7 more defaults\n/);
    const whole = JSON.stringify(fullCallModal(view));
    expect(whole).toContain('P8 8, Duration minutes 30 min, Remind no, Note “Approved by Ana”');
  });

  it('are on the card, and not among what is sent', () => {
    const view = withTool({ properties }, { calendar: 'work' });
    expect(flat(callCard(view).blocks)).toContain(
      'Calendar  work\nDefault: Duration minutes 30 min, Remind no, … and 1 more default',
    );
    expect(flat(callCard(callView()).blocks)).not.toContain('Default');
  });
});
