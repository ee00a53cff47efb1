import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callKey, recordKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord, Program } from '../../../../src/gate/call/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { opening, proposed } from '../../../helpers/gate.ts';
import { ana } from '../../../helpers/people.ts';
import { openRiskGate } from '../../../helpers/risk.ts';

const TOOLS = ['mail.list_mail', 'web.list_page', 'mail.send_mail'] as const;
const FLAGS = {
  'mail.list_mail': 'private',
  'web.list_page': 'untrusted',
  'mail.send_mail': 'write',
} as const;

const callArbitrary = fc.record({
  session: fc.constantFrom('one', 'two'),
  tool: fc.constantFrom(...TOOLS),
  process: fc.constantFrom(0, 1),
});

it('two sessions at once never mix flags, and no order of commits loses one or completes the three unasked', async () => {
  let round = 0;
  const store = openSqliteStore({ path: ':memory:' });
  const fixture = openRiskGate({ store });
  const gates = [fixture.gate, createGate(fixture.ports)];
  await fc.assert(
    fc.asyncProperty(
      fc.array(callArbitrary, { minLength: 3, maxLength: 8 }),
      fc.scheduler(),
      async (calls, s) => {
        round += 1;
        const programOf = (session: string): Program => ({
          id: 'key:p',
          name: 'P',
          session: `${round}${session}`,
        });
        const results = await s.waitFor(
          Promise.all(
            calls.map(async ({ session, tool, process }, index) => {
              await s.schedule(Promise.resolve());
              const [server = '', name = ''] = tool.split('.');
              const callId = `${round}-${index}`;
              const call = await gates[process]?.requests.propose({
                threadId: `t${callId}`,
                runId: 'r',
                requester: ana,
                program: programOf(session),
                call: proposed(callId, { server, name }),
                runBy: 'program',
              });
              return { session, tool, state: call?.state };
            }),
          ),
        );
        for (const session of ['one', 'two']) {
          const ofSession = results.filter((one) => one.session === session);
          const ran = new Set(
            ofSession.filter(({ state }) => state === 'allowed').map(({ tool }) => FLAGS[tool]),
          );
          const flags = await fixture.gate.risk.session({ threadId: 'x', program: programOf(session) });
          const known = (['private', 'untrusted', 'write'] as const).filter((flag) => flags?.[flag]);
          // What ran is on record, of this session alone; and what would have completed the three was asked about.
          expect(new Set(known)).toEqual(ran);
          expect(ran.size).toBeLessThan(3);
          const isAsked = ofSession.some(({ state }) => state === 'pending');
          expect(isAsked).toBe(new Set(ofSession.map(({ tool }) => tool)).size === 3);
        }
      },
    ),
    { numRuns: 1_000 },
  );
  await store.close();
}, 120_000);

const KINDS = {
  ...FLAGS,
  'mail.ask_mail': 'private',
  'web.ask_page': 'untrusted',
  'mail.ask_send': 'write',
} as const;

const stepArbitrary = fc.record({
  /** Who calls: a program that runs it itself, one for which a worker does, our agent, or it beside what waits. */
  from: fc.constantFrom('program', 'worker', 't', 't~'),
  tool: fc.constantFrom(
    ...(['mail.list_mail', 'web.list_page', 'mail.send_mail'] as const),
    ...(['mail.ask_mail', 'web.ask_page', 'mail.ask_send'] as const),
  ),
  processes: fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(0, 1)),
});

type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

it('whoever lets calls through, and whoever approves some, no order of readings and commits loses a flag', async () => {
  let round = 0;
  let turn: () => Promise<void> = async () => undefined;
  const shared = openSqliteStore({ path: ':memory:' });
  const store: Store = {
    ...shared,
    get: (collection, id) => turn().then(() => shared.get(collection, id)),
    commit: (change) => turn().then(() => shared.commit(change)),
  };
  const fixture = openRiskGate({ store });
  const fence = await fixture.fence();
  const gates = [fixture.gate, createGate(fixture.ports)] as const;

  /** Makes the call, has it approved wherever people are asked, and tells whether anybody was. */
  async function make({ from, tool, processes }: Step, index: number): Promise<'unasked' | 'approved'> {
    const [first, second] = [gates[processes[0]], gates[processes[1]]];
    const [server = '', name = ''] = tool.split('.');
    const call = proposed(`${round}-${index}`, { server, name });
    const isOfProgram = from === 'program' || from === 'worker';
    const threadId = threadOf({ from }, index);
    const by = { threadId, runId: 'r', requester: ana };
    let isAsked = false;
    const approve = async (asked: CallRecord) => {
      isAsked = true;
      const approval = { callKey: recordKey(asked), digest: asked.digest, type: 'approve' as const };
      return (await second.decisions.decide([approval], ana))[0];
    };
    if (isOfProgram) {
      const runBy = from;
      const made = await first.requests.propose({ ...by, program: programOf(), call, runBy });
      const after = made.state === 'pending' ? await approve(made) : made;
      if (from === 'program') {
        expect(['approved', 'allowed']).toContain(after?.state);
        return isAsked ? 'approved' : 'unasked';
      }
    }
    for (;;) {
      const begun = await first.journal.begin({ ...by, call, fence });
      if (begun.kind === 'ready') return isAsked ? 'approved' : 'unasked';
      const isKnown = begun.call.requestId !== null;
      if (!isKnown) await first.requests.open({ ...opening(fence, call), ...by, interruptId: call.callId });
      const asked = await second.calls.get(recordKey(begun.call));
      if (asked?.state === 'pending') await approve(asked);
    }
  }
  const programOf = (): Program => ({ id: 'key:p', name: 'P', session: `${round}` });
  const threadOf = ({ from }: Pick<Step, 'from'>, index: number) =>
    from === 'program' || from === 'worker' ? `p${round}-${index}` : `${round}${from}`;

  await fc.assert(
    fc.asyncProperty(
      fc.array(stepArbitrary, { minLength: 3, maxLength: 6 }),
      fc.scheduler(),
      async (steps, s) => {
        round += 1;
        turn = () => s.schedule(Promise.resolve());
        const made = await s.waitFor(
          Promise.all(
            steps.map(async (step, index) => ({
              ...step,
              key: callKey(threadOf(step, index), `${round}-${index}`),
              how: await make(step, index),
            })),
          ),
        );
        turn = async () => undefined;
        for (const isOfProgram of [true, false]) {
          const own = made.filter(({ from }) => (from === 'program' || from === 'worker') === isOfProgram);
          const flags = await fixture.gate.risk.session(
            isOfProgram ? { threadId: 'x', program: programOf() } : { threadId: `${round}t` },
          );
          const known = (['private', 'untrusted', 'write'] as const).filter((flag) => flags?.[flag]);
          expect(new Set(known)).toEqual(new Set(own.map(({ tool }) => KINDS[tool])));
          // Whichever call completed the three, by setting the last flag, people were asked about.
          const unasked = new Set(own.filter(({ how }) => how === 'unasked').map(({ key }) => key));
          const setters = (['private', 'untrusted', 'write'] as const).map((flag) => flags?.[flag]?.callKey);
          expect(setters.every((key) => key !== undefined && unasked.has(key))).toBe(false);
        }
      },
    ),
    { numRuns: 300 },
  );
  await shared.close();
}, 240_000);
