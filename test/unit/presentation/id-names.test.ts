import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/gate/call/outcome.ts';
import { decideBody } from '../../../src/http/web/pages/decide.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { notesFor } from '../../../src/presentation/argument-notes.ts';
import { findNamedObjects } from '../../../src/presentation/id-names.ts';
import { unknownProperty } from '../../../src/presentation/schema-labels.ts';
import { callCard, callEntry } from '../../../src/slack/cards/call-card.ts';
import { type CallView, callObject, callTitle } from '../../../src/slack/cards/call-view.ts';
import { toDecisionPage } from '../../../src/slack/views/decision-sheet.ts';
import { approvedBy, flat, withTool } from '../slack/cards/fixtures.ts';

const standup = {
  id: 'evt_1',
  calendar_id: 'primary',
  title: 'Standup',
  start: '2026-11-24T09:00:00',
  duration_minutes: 30,
  time_zone: 'Europe/Berlin',
};

const TOOL = { name: 'delete_events', inputSchema: {} };
const IDS = unknownProperty('event_ids', []);

function answered(structured: JsonObject | null, text = 'Done.'): { outcome: Outcome } {
  return { outcome: { status: 'succeeded', content: [{ type: 'text', text }], structured } };
}

function eventView(name: string, args: JsonObject, ...answers: { outcome: Outcome }[]): CallView {
  const others = Object.fromEntries(Object.keys(args).map((argument) => [argument, {}]));
  const properties = { calendar_id: {}, ...others, event_id: { title: 'Event' } };
  const view = withTool({ properties }, args, { name, title: 'Do it' });
  return { ...view, resolve: { ...view.resolve, findObject: findNamedObjects(answers) } };
}

describe('what a server said earlier of an id', () => {
  it.each([
    ['one of a list', answered({ events: [standup] })],
    ['one in a wrapper', answered({ event: standup })],
    ['JSON in a text', answered(null, JSON.stringify([standup]))],
    ['an object with only its own kind of id', answered({ event_id: 'evt_1', name: 'Standup' })],
  ])('is found in %s', (_, answer) => {
    expect(findNamedObjects([answer])('event_id', 'evt_1')?.name).toBe('Standup');
  });

  it('are looked for only as far as they are asked about', () => {
    const answer = answered({
      events: [standup, { id: 2, title: 'Lunch' }, { id: 'evt_3', title: 'Party' }],
    });
    const find = findNamedObjects([answer], { event_ids: ['evt_1'], more: { event_id: 2 } });
    expect(find('event_ids', 'evt_1')?.name).toBe('Standup');
    expect(find('event_id', 2)?.name).toBe('Lunch');
    expect(find('event_id', 'evt_3')).toBeNull();
  });

  it('counts as it was said last', () => {
    const find = findNamedObjects([
      answered({ event: { ...standup, title: 'Retro' } }),
      answered({ events: [standup] }),
    ]);
    expect(find('event_id', 'evt_1')?.name).toBe('Retro');
  });

  it('is not taken from an object that only refers to it', () => {
    expect(findNamedObjects([answered({ events: [standup] })])('calendar_id', 'primary')).toBeNull();
  });

  it('is not taken from a thing of another kind that has the same id', () => {
    const find = findNamedObjects([answered({ events: [{ id: 1, title: 'Standup' }] })]);
    expect([find('calendar_id', 1), find('event_id', 1)?.name]).toEqual([null, 'Standup']);
  });

  it('is nothing where two things of different kinds could be meant', () => {
    const find = findNamedObjects([
      answered({ events: [{ id: 'x', title: 'A' }], rooms: [{ id: 'x', title: 'B' }] }),
    ]);
    expect(find('id', 'x')).toBeNull();
  });

  it('is not taken from a call that failed', () => {
    const content = [{ type: 'text' as const, text: JSON.stringify(standup) }];
    const find = findNamedObjects([{ outcome: { status: 'failed', message: 'no', content } }]);
    expect(find('event_id', 'evt_1')).toBeNull();
  });

  it('names a resource by the link that was given to it', () => {
    const link = { type: 'resource_link' as const, uri: 'doc://7', name: 'Plan' };
    const find = findNamedObjects([{ outcome: { status: 'succeeded', content: [link], structured: null } }]);
    expect(find('document_uri', 'doc://7')?.name).toBe('Plan');
  });
});

describe('a card whose arguments are ids', () => {
  it('names them beside the ids, and says once where the names come from', () => {
    const args = { calendar_id: 'primary', event_id: 'evt_1' };
    const card = flat(callCard(eventView('delete_event', args, answered({ events: [standup] }))).blocks);
    expect(card).toContain('Event  `evt_1` (“Standup”, Tue 24 Nov, 09:00 Europe/Berlin)');
    expect(card).toMatch(/ Notes in italics: from calendar, not sent\. calendar\.\w+$/);
    expect(card.match(/italics/g)).toHaveLength(1);
  });

  it('says nothing of italics where the notes aren’t shown: in a list, and of what was changed', () => {
    const [known, long] = [answered({ events: [standup] }), { event_id: 'evt_1', note: 'word '.repeat(100) }];
    expect(flat(callCard(eventView('delete_event', long, known)).blocks)).toContain('italics');
    expect(flat(callEntry(eventView('delete_event', long, known), []))).not.toContain('italics');
    const edited = eventView('delete_event', { event_id: 'evt_1', note: 'a\n\nb' }, known);
    const call: CallView['call'] = {
      ...edited.call,
      state: 'succeeded',
      decision: approvedBy('Ana', 'edit'),
      proposedArguments: { event_id: 'evt_2', note: 'c\n\nd' },
    };
    const card = flat(callCard({ ...edited, approvers: null, call }).blocks);
    expect(card).toContain('`evt_1`');
    expect(card).not.toContain('italics');
  });

  it('says nothing of names where none is known', () => {
    const card = flat(callCard(eventView('delete_event', { event_id: 'evt_1' })).blocks);
    expect(card).not.toContain('earlier in this thread');
  });

  it('says nothing of who says so where the notes are the tool’s own', () => {
    const schema = { properties: { title: { type: 'string' } } };
    const card = flat(callCard(withTool(schema, { title: 'Standup', colour: 'red' })).blocks);
    expect(card).toContain('red (not in the tool’s schema)');
    expect(card).not.toContain('italics');
  });

  it('names every known one of a list', () => {
    const args = { event_ids: ['evt_1', 'evt_9'] };
    const card = flat(callCard(eventView('delete_events', args, answered({ events: [standup] }))).blocks);
    expect(card).toContain('[evt_1, evt_9] (evt_1: “Standup”, Tue 24 Nov, 09:00 Europe/Berlin)');
  });

  it('shows what cannot be seen in a name, and quotes one that could pass for more', () => {
    const title = 'a\u202Eb” (approved)';
    const view = eventView('delete_event', { event_id: 'evt_1' }, answered({ id: 'evt_1', title }));
    expect(flat(callCard(view).blocks)).toContain('`evt_1` ("a⟨U+202E⟩b” (approved)")');
  });

  it('is not filled by what a server calls them', () => {
    const id = 'e'.repeat(400);
    const ids = Array.from({ length: 20 }, (_, index) => `${id}${index}`);
    const answer = answered({ events: ids.map((it) => ({ id: it, title: 't'.repeat(5_000) })) });
    const card = flat(callCard(eventView('get_event', { event_id: `${id}0` }, answer)).blocks);
    expect(card.length).toBeLessThan(1_500);
    expect(
      notesFor(TOOL, { event_ids: ids }, eventView('x', {}, answer).resolve)(IDS, ids).note?.length,
    ).toBe(802);
  });

  it('is called by the name and the date in one line', () => {
    const view = eventView('delete_event', { event_id: 'evt_1' }, answered({ event: standup }));
    expect(callTitle(view)).toBe('Do it ‘Standup’, Tue 24 Nov 09:00 (calendar.delete_event)');
  });
});

describe('a card that changes a thing that is known', () => {
  const args = {
    calendar_id: 'primary',
    event_id: 'evt_1',
    start: '2026-11-24T10:00:00',
    duration_minutes: 30,
  };

  it('shows what the server gave before beside what is new', () => {
    const card = flat(callCard(eventView('update_event', args, answered({ events: [standup] }))).blocks);
    expect(card).toContain('Start  ~Tue 24 Nov, 09:00~ → Tue 24 Nov, 10:00 Europe/Berlin');
    expect(card).toContain('30 min\n');
  });

  const tokyo = { id: 'evt_1', title: 'Standup', start: '2026-11-24T17:00:00' };

  it.each([
    ['beside it', { ...tokyo, time_zone: 'Asia/Tokyo' }],
    ['beside another time', { ...tokyo, end: { dateTime: '2026-11-24T18:00:00', timeZone: 'Asia/Tokyo' } }],
  ])('says old and new in one clock, and in the reader’s, where the server names a zone %s', (_, event) => {
    const view = eventView(
      'update_event',
      { event_id: 'evt_1', start: '2026-11-24T18:00:00' },
      answered({ event }),
    );
    expect(flat(callCard(view).blocks)).toContain(
      '~Tue 24 Nov, 17:00 (09:00 Europe/Berlin)~ → Tue 24 Nov, 18:00 Asia/Tokyo (10:00 Europe/Berlin)',
    );
    expect(callTitle(view)).toContain(
      'Start from Tue 24 Nov 17:00 Asia/Tokyo to Tue 24 Nov 18:00 Asia/Tokyo',
    );
  });

  it.each([
    ['the call names one that is none', { time_zone: 'here' }, { ...tokyo, time_zone: 'Asia/Tokyo' }],
    ['the server names two', {}, { ...tokyo, a: { tz: 'Asia/Tokyo' }, b: { tz: 'Europe/Berlin' } }],
  ])('leaves a local time without a zone where %s', (_, more, event) => {
    const moved = { event_id: 'evt_1', start: '2026-11-24T18:00:00', ...more };
    const view = eventView('update_event', moved, answered({ event }));
    expect(flat(callCard(view).blocks)).toContain('18:00 local time');
  });

  it('says the zone once, where the time that it changes to says it', () => {
    const card = flat(callCard(eventView('update_event', args, answered({ events: [standup] }))).blocks);
    expect(card.match(/Europe\/Berlin/g)).toHaveLength(2);
    expect(card).toContain('(“Standup”, Tue 24 Nov, 09:00)');
    const later = { ...args, start: '2026-11-24T10:00:00+09:00', time_zone: 'Asia/Tokyo' };
    const elsewhere = flat(callCard(eventView('update_event', later, answered({ event: standup }))).blocks);
    expect(elsewhere).toContain('(“Standup”, Tue 24 Nov, 09:00)');
  });

  const venue = {
    id: 'evt_1',
    title: 'Standup',
    where: { room: 'A', floor: 2 },
    note: null,
    guests: Array.from({ length: 9 }, (_, index) => `guest${index}@example.com`),
  };

  it('shows a nested value and a long list as what changes in it, what else is long in two lines, an empty one as such', () => {
    const link = `https://example.com/${'x'.repeat(90)}`;
    const guests = [...venue.guests.slice(1), 'guest9@example.com'];
    const changed = { event_id: 'evt_1', where: { room: 'B', floor: 2 }, note: 'new', guests, link };
    const view = eventView('update_event', changed, answered({ event: { ...venue, link: 0 } }));
    const card = flat(callCard(view).blocks);
    expect(card).toContain('Where (changes)\n┌\n- room: A\n+ room: B\n  floor: 2\n└\n');
    expect(card).toContain('Note  ~(empty)~ → new');
    expect(card).toContain('Guests (9) (changes)\n┌\n- guest0@example.com\n  guest1@example.com\n');
    expect(card).toContain('  guest8@example.com\n+ guest9@example.com\n└\n');
    expect(card).toMatch(/Link {2}~0~\n→ `https:/);
    expect(callObject(view, 2_000)).toContain('Note: from (empty) to new\n');
  });

  it('has no value in plain text that reads as a change', () => {
    const changed = { event_id: 'evt_1', title: 'from A to B' };
    const view = eventView('update_event', changed, answered({ event: venue }));
    expect(callObject(view, 2_000)).toContain('Title: from Standup to "from A to B"');
    expect(callObject(eventView('create_event', { title: 'from A to B' }), 2_000)).toBe(
      'Title: "from A to B"',
    );
  });

  it('is on the web page as on the card', () => {
    const view = eventView('update_event', args, answered({ events: [standup] }));
    const form = { token: 't', problems: [], typed: {}, feedback: '', signIn: null };
    expect(`${decideBody(toDecisionPage(view), form)}`).toContain(
      '<dd><del>Tue 24 Nov, 09:00</del> → Tue 24 Nov, 10:00 Europe/Berlin',
    );
  });

  it('is shown also where a text of the server lies thousands of levels deep', () => {
    const deep = `{"id":"evt_1","title":"Standup","notes":{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}}`;
    const card = flat(
      callCard(eventView('update_event', { event_id: 'evt_1', notes: 'new' }, answered(null, deep))).blocks,
    );
    expect(card).toContain('evt_1');
  });

  it('does not take the thing that something is created in for the one that is changed', () => {
    const created = { calendar_id: 'home', title: 'Retro' };
    const answer = answered({ calendars: [{ id: 'home', title: 'Home' }] });
    const [creating, updating] = ['create_event', 'update_event'].map((name) =>
      flat(
        callCard(
          eventView(name, { ...created, ...(name === 'update_event' ? { event_id: 'e2' } : {}) }, answer),
        ).blocks,
      ),
    );
    expect(creating).toContain('(“Home”)');
    expect(creating).not.toContain('→');
    expect(updating).not.toContain('→');
  });
});
