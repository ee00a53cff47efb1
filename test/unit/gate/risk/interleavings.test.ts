import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Program } from '../../../../src/gate/call/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { proposed } from '../../../helpers/gate.ts';
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
