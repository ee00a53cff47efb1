import { expect, it, vi } from 'vitest';
import { type CallRecord, recordKey, type ToolSnapshot } from '../../../src/gate/types.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { failure, success } from '../../helpers/fake-hub.ts';
import { createEvent } from '../../helpers/gate.ts';
import { callerOf, LIFETIME_MS, type OpenHeldCalls, openHeldCalls } from '../../helpers/held-calls.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** When every test begins. */
const BEGIN_AT = '1970-01-01T00:16:40.000Z';

const dropEvent: ToolSnapshot = { ...createEvent, name: 'drop_event', modelName: 'drop_event' };
const listEvents: ToolSnapshot = { ...createEvent, name: 'list_events', modelName: 'list_events' };

/** A program that makes one call: it is denied unless told otherwise. */
const open = (tool = dropEvent, args: JsonObject = { title: 'x' }) =>
  openHeldCalls({ tool, arguments: args });

it('whoever missed the end of a call gets it by the same call; whoever was sent it makes another one', async () => {
  const { answer } = open();
  const missed = await answer();
  expect(missed.words).toContain('calendars stay');
  const again = await answer();
  expect(again.key).toBe(missed.key);
  await again.send();
  expect((await answer()).key).not.toBe(missed.key);
});

it('the same call of a tool that is gone meanwhile gets the end that its program missed, and no other call does', async () => {
  const program = open(createEvent, { title: 'x' });
  const { heldCalls, caller } = program;
  const { call } = await program.submit();
  await program.decide(call, 'reject');
  const same = { name: createEvent.modelName, arguments: { title: 'x' }, session: 's' };
  expect((await heldCalls().repeated(caller, same))?.call).toMatchObject({ state: 'rejected' });
  expect(await heldCalls().repeated(caller, { ...same, arguments: { title: 'y' } })).toBeNull();
  expect(await heldCalls().repeated(caller, { ...same, name: 'other' })).toBeNull();
  program.time.now += DAY_MS;
  expect(await heldCalls().repeated(caller, same)).toBeNull();
});

it('a call of a tool that is not there reads none of the other calls of its program', async () => {
  const { heldCalls, caller, gate } = open(createEvent);
  for (const title of ['a', 'b', 'c']) {
    const input = { session: 's', agentName: null, tool: createEvent, arguments: { title } };
    await heldCalls().submit(caller, input);
  }
  const read = vi.spyOn(gate.calls, 'get');
  const same = { name: createEvent.modelName, arguments: { title: 'b' }, session: 's' };
  expect(await heldCalls().repeated(caller, { ...same, name: 'made_up' })).toBeNull();
  expect(read).toHaveBeenCalledTimes(0);
  expect((await heldCalls().repeated(caller, same))?.call.arguments).toEqual({ title: 'b' });
  expect(read).toHaveBeenCalledTimes(1);
});

it('the same call at once after the answer is another one, also before it is on record that it was sent', async () => {
  const { answer } = open();
  const first = await answer();
  const second = answer();
  await first.send();
  expect((await second).key).not.toBe(first.key);
});

const ran = success('Done.');
const asked = { tool: createEvent, args: { title: 'x' } };
const allowed = { tool: listEvents, args: { title: 'x' } };

it.each<{
  what: string;
  tool: ToolSnapshot;
  args: JsonObject;
  end: (program: OpenHeldCalls, call: CallRecord) => Promise<unknown>;
  forMs: number;
}>([
  { what: 'what the policy denies', tool: dropEvent, args: {}, end: async () => {}, forMs: MINUTE_MS },
  { what: 'arguments that do not fit', tool: createEvent, args: {}, end: async () => {}, forMs: MINUTE_MS },
  {
    what: 'what only reads, by a server that is trusted',
    tool: { ...listEvents, readOnly: true },
    args: { title: 'x' },
    end: ({ run }, call) => run(call, ran),
    forMs: MINUTE_MS,
  },
  { what: 'what ran at once', ...allowed, end: ({ run }, call) => run(call, ran), forMs: DAY_MS },
  {
    what: 'what ran at once and failed',
    ...allowed,
    end: ({ run }, call) => run(call, failure('no')),
    forMs: DAY_MS,
  },
  { what: 'what is rejected', ...asked, end: ({ decide }, call) => decide(call, 'reject'), forMs: DAY_MS },
  {
    what: 'what nobody decides',
    ...asked,
    async end({ gate, time }) {
      time.now += LIFETIME_MS;
      await gate.requests.expire();
    },
    forMs: DAY_MS,
  },
  {
    what: 'what is approved, also if it only reads,',
    tool: { ...createEvent, readOnly: true },
    args: { title: 'x' },
    async end({ decide, run }, call) {
      await decide(call, 'approve');
      await run(call, ran);
    },
    forMs: DAY_MS,
  },
])('$what is given to the same call until $forMs ms after its end', async ({ tool, args, end, forMs }) => {
  const program = open(tool, args);
  const { call } = await program.submit();
  await end(program, call);
  program.restart();
  program.time.now += forMs - 1;
  await program.heldCalls().sweep();
  const late = await program.answer();
  expect(late.key).toBe(recordKey(call));
  expect(late.words).toContain(`The same call was made at ${BEGIN_AT} and ended at `);
  program.time.now += 1;
  expect(recordKey((await program.submit()).call)).not.toBe(late.key);
});

it('what is given late says when it ended, once: the same call after it is a new one', async () => {
  const program = open(createEvent);
  const { call } = await program.submit();
  program.time.now += 5 * MINUTE_MS;
  await program.decide(call, 'reject');
  program.time.now += 6 * 60 * MINUTE_MS;
  const late = await program.answer();
  expect(late.words).toContain('Nothing ran now.');
  expect(late.words).toContain(`made at ${BEGIN_AT} and ended at 1970-01-01T00:21:40.000Z`);
  await late.send();
  const { call: anew } = await program.submit();
  expect(anew.state).toBe('pending');
});

it('an end that is heard while it is waited for has no words of another time', async () => {
  const program = open(listEvents);
  const { call } = await program.submit();
  const waiting = program.answer();
  await program.run(call, ran);
  expect((await waiting).words).not.toContain('ended at');
});

it('what is unclear is told to the same call for 15 minutes, however often; after that, once more', async () => {
  const program = open(listEvents);
  const { call } = await program.submit();
  await program.run(call, { status: 'in_doubt', message: 'The server was gone.' });
  for (const waited of [0, 15 * MINUTE_MS - 1]) {
    program.time.now += waited;
    const told = await program.answer();
    expect(told).toMatchObject({
      key: recordKey(call),
      words: expect.stringContaining('The server was gone.'),
    });
    expect(told.words).not.toContain('ended at');
    await told.send();
  }
  program.time.now += 1;
  const last = await program.answer();
  expect(last).toMatchObject({ key: recordKey(call), words: expect.stringContaining('ended at') });
  await last.send();
  expect(recordKey((await program.submit()).call)).not.toBe(last.key);
});

it('another program with the same call has one of its own, and finds neither the first nor its end', async () => {
  const program = open(createEvent);
  const other = callerOf('key:other');
  const { call } = await program.submit();
  const { call: theirs } = await program.submit(other);
  expect(recordKey(theirs)).not.toBe(recordKey(call));
  expect(await program.heldCalls().find(other, recordKey(call), 's')).toBeNull();
  await program.decide(call, 'reject');
  expect((await program.answer()).words).toContain('rejected');
  expect((await program.submit(other)).call.state).toBe('pending');
});

it('a call that waits for days is not forgotten, nor is its end for a day', async () => {
  const program = open(createEvent);
  const { call } = await program.submit();
  program.time.now += 3 * DAY_MS;
  await program.heldCalls().sweep();
  await program.decide(call, 'approve');
  await program.run(call, ran);
  await program.heldCalls().sweep();
  expect(await program.answer()).toMatchObject({
    key: recordKey(call),
    words: expect.stringContaining('Done.'),
  });
  program.time.now += DAY_MS + 1;
  await program.heldCalls().sweep();
  expect((await program.heldCalls().find(program.caller, recordKey(call), 's'))?.key).toBe('');
});

it.each([
  { later: 15 * MINUTE_MS - 1, what: 'may be made by the one that is approved', isSame: true },
  { later: 15 * MINUTE_MS, what: 'is a new one, as the one that was approved has ended', isSame: false },
])(
  'of a program that went away, the same call $later ms after the approval $what',
  async ({ later, isSame }) => {
    const program = open(createEvent);
    const held = await program.submit();
    await program.heldCalls().left(program.caller, held);
    program.time.now += 20 * MINUTE_MS;
    await program.decide(held.call, 'approve');
    program.time.now += later;
    await program.heldCalls().sweep();
    const back = await program.submit();
    expect(recordKey(back.call) === recordKey(held.call)).toBe(isSame);
    expect(back.call.state).toBe(isSame ? 'approved' : 'pending');
    const [stored] = await program.gate.calls.getMany([recordKey(held.call)]);
    expect(stored?.state).toBe(isSame ? 'approved' : 'failed');
  },
);

it('what a program withdrew itself is over: the same call an hour later is a new one', async () => {
  const program = openHeldCalls({ tool: createEvent, arguments: { title: 'x' } });
  const { call } = await program.submit();
  const held = await program.heldCalls().find(program.caller, recordKey(call), 's');
  if (!held) throw new Error('it is not on record');
  await program.heldCalls().cancel(program.caller, held);
  program.time.now += 3_600_000;
  expect(recordKey((await program.submit()).call)).not.toBe(recordKey(call));
});
