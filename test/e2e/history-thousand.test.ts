import { renderText } from '@countersign/slack-emulator/driver';
import { expect, it } from 'vitest';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { fillWithWaiting } from '../helpers/waiting-calls.ts';

const CALLS = 1_000;
/** Monday, 08:00 in Berlin: an hour before the app's clock begins. */
const EARLIER = Date.UTC(2026, 10, 23, 7);
/** The oldest ones, which no look at the latest would find. */
const EXPIRED = 12;
/** What became of the others, by turns. */
const TURNS = ['waiting', 'done', 'failed', 'rejected'] as const;
const decision = {
  type: 'reject' as const,
  actor: { id: 'slack:T1:U1', name: 'Ana' },
  feedback: null,
  at: EARLIER,
};
const ENDS: Readonly<Record<(typeof TURNS)[number] | 'expired', Partial<CallRecord>>> = {
  waiting: {},
  done: { state: 'succeeded', outcome: { status: 'succeeded', content: [], structured: null } },
  failed: { state: 'failed', outcome: { status: 'failed', message: 'It is down.', content: [] } },
  rejected: { state: 'rejected', decision },
  expired: { state: 'expired' },
};

function kindOf(number: number): keyof typeof ENDS {
  return number < EXPIRED ? 'expired' : (TURNS[number % TURNS.length] ?? 'waiting');
}

/** The numbers of the calls of a kind, newest first. */
function numbersOf(kind: keyof typeof ENDS | null): number[] {
  const all = Array.from({ length: CALLS }, (_, index) => CALLS - 1 - index);
  return kind === null ? all : all.filter((number) => kindOf(number) === kind);
}

/** The numbers that a text names, in its order, each once. */
function namedIn(text: string): number[] {
  return [...new Set([...text.matchAll(/Entry (\d+)\./g)].map(([, number]) => Number(number)))];
}

it('the history of 1,000 calls is filtered by each end, by none, and by two filters at once', {
  timeout: 180_000,
}, async () => {
  const { app, driver } = await startAppWithModel({ file: {} });
  const ana = driver.as('ana');
  const requester = { id: `slack:${driver.workspace.team.id}:${ana.id}`, name: 'Ana' };
  await app.inStore((store) =>
    fillWithWaiting(store, CALLS, requester, EARLIER, (number) => ({
      ...ENDS[kindOf(number)],
      ...(kindOf(number) === 'waiting' ? {} : { endedAt: EARLIER + number }),
    })),
  );

  for (const kind of [null, ...TURNS, 'expired'] as const) {
    const [said = ''] = await ana.command(`/countersign history ${kind ?? ''}`, 'general');
    expect(namedIn(said), String(kind)).toEqual(numbersOf(kind).slice(0, 20));
    expect(said.includes('there may be more')).toBe(true);
  }
  const [none = ''] = await ana.command('/countersign history withdrawn', 'general');
  expect(none).toBe(
    'What you asked for that was withdrawn: nothing. Not everything was searched, so there may be more.',
  );
  const [nothing = ''] = await driver.as('bob').command('/countersign history done', 'general');
  expect(nothing).toBe('What you asked for that was done: nothing.');

  const home = () => renderText({ blocks: ana.home()?.blocks ?? [] });
  const asked = () => namedIn(home().split('You asked for')[1] ?? '');
  const waiting = () => home().split('You asked for')[0] ?? '';
  await ana.openHome();
  // What waits for her is in the list above, and only there.
  const ended = numbersOf(null).filter((number) => kindOf(number) !== 'waiting');
  expect(asked()).toEqual(ended.slice(0, 10));
  const labels = [
    ['waiting', 'Not ended yet'],
    ['done', 'Done'],
    ['failed', 'Failed'],
    ['rejected', 'Rejected'],
    ['expired', 'Expired'],
  ] as const;
  for (const [kind, label] of labels) {
    await ana.useElement('home.filter_asked', label, ana.home());
    expect(asked(), kind).toEqual(kind === 'waiting' ? [] : numbersOf(kind).slice(0, 10));
  }
  await ana.useElement('Next 2', undefined, ana.home());
  expect(asked()).toEqual(numbersOf('expired').slice(10));
  // All 1,000 were read for that one, and none was withdrawn. Of all, the latest were read, so any may be further back.
  await ana.useElement('home.filter_asked', 'All', ana.home());
  await ana.useElement('home.filter_asked', 'Withdrawn', ana.home());
  expect(asked()).toEqual([]);
  expect(waiting()).toContain(`Waiting for you (${numbersOf('waiting').length})`);

  // The two lists are narrowed one beside the other.
  await ana.useElement('home.filter_asked', 'Rejected', ana.home());
  expect(namedIn(waiting()).every((number) => kindOf(number) === 'waiting')).toBe(true);
  expect(asked()).toEqual(numbersOf('rejected').slice(0, 10));
  await ana.useElement('home.filter_asked', 'All', ana.home());
  expect(asked()).toEqual(ended.slice(0, 10));
  expect(driver.calls('views.publish').filter(({ error }) => error !== null)).toEqual([]);
});
