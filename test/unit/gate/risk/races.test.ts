import { describe, expect, it, onTestFinished } from 'vitest';
import { recordKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord, Program } from '../../../../src/gate/call/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import type { Fence } from '../../../../src/storage/lease/types.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { opening, proposed } from '../../../helpers/gate.ts';
import { ana } from '../../../helpers/people.ts';
import { openRiskGate } from '../../../helpers/risk.ts';

const program: Program = { id: 'key:p', name: 'P', session: 's' };

/** Two processes on one store. What `meanwhile` is given, the second does between the first one's reading and its next commit. */
async function openTwo() {
  const shared = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => shared.close());
  let first: (() => Promise<unknown>) | null = null;
  const store: Store = {
    ...shared,
    async commit(change) {
      const work = first;
      first = null;
      await work?.();
      return shared.commit(change);
    },
  };
  const { ports, gate, fence: take } = openRiskGate({ store, isIdempotent: () => true });
  const other = createGate({ ...ports, store: shared });
  const fence = await take();
  let count = 0;
  const call = (tool: string) => {
    const [server = '', name = ''] = tool.split('.');
    count += 1;
    return proposed(`c${count}`, { server, name });
  };
  const begin = (of: typeof gate) => (tool: string, threadId: string) =>
    of.journal.begin({ threadId, runId: 'r', requester: ana, call: call(tool), fence });
  const propose = (of: typeof gate) => (tool: string) =>
    of.requests.propose({
      ...{ threadId: `of ${tool}`, runId: 'r', requester: ana, program },
      ...{ call: call(tool), runBy: 'program' as const },
    });
  return {
    gate,
    fence,
    call,
    one: { begin: begin(gate), propose: propose(gate) },
    other: { begin: begin(other), propose: propose(other) },
    meanwhile(work: () => Promise<unknown>): void {
      first = work;
    },
    /** What the session of the thread `t`, or of the program, has read and written. */
    async flags(from: { readonly program?: Program } = {}) {
      const session = await gate.risk.session({ threadId: 't', ...from });
      return (['private', 'untrusted', 'write'] as const).filter((flag) => session?.[flag]);
    },
  };
}

const ask = (fence: Fence, ...calls: ReturnType<typeof proposed>[]) => ({
  ...opening(fence, ...calls),
  threadId: 't',
});

const approval = (call: CallRecord) => ({
  callKey: recordKey(call),
  digest: call.digest,
  type: 'approve' as const,
});

describe('what another process adds to a session is not lost, and counts', () => {
  it('while a program proposes a call', async () => {
    const { one, other, meanwhile, flags } = await openTwo();
    await one.propose('mail.list_mail');
    meanwhile(() => other.propose('web.list_page'));
    expect((await one.propose('mail.send_mail')).state).toBe('pending');
    expect(await flags({ program })).toEqual(['private', 'untrusted']);
  });

  it('while a person approves a call of a program', async () => {
    const { gate, one, other, meanwhile, flags } = await openTwo();
    const asked = await one.propose('mail.ask_mail');
    meanwhile(() => other.propose('web.list_page'));
    await gate.decisions.decide([approval(asked)], ana);
    expect(await flags({ program })).toEqual(['private', 'untrusted']);
  });

  it('while a call of ours is begun', async () => {
    const { one, other, meanwhile, flags } = await openTwo();
    await one.begin('mail.list_mail', 't');
    meanwhile(() => other.begin('web.list_page', 't~'));
    expect((await one.begin('mail.send_mail', 't')).kind).toBe('waiting');
    expect(await flags()).toEqual(['private', 'untrusted']);
  });

  it('while a request is opened whose answer reads something, too', async () => {
    const { gate, fence, call, other, meanwhile, flags } = await openTwo();
    const asked = call('mail.ask_send');
    meanwhile(() => other.begin('web.list_page', 't~'));
    await gate.requests.open({ ...ask(fence, asked), answer: [call('mail.list_mail'), asked] });
    expect(await flags()).toEqual(['private', 'untrusted']);
    const [record] = await gate.calls.inThread('t', [asked.callId]);
    expect(record?.risk?.session).toMatchObject({ private: expect.anything(), untrusted: expect.anything() });
  });

  it('while a call is sent again', async () => {
    const { gate, fence, one, other, meanwhile } = await openTwo();
    const { call } = await one.begin('mail.post_public', 't');
    const again = await gate.journal.retry(call, { fence });
    expect(again?.attempt).toBe(2);
    meanwhile(() => other.begin('mail.list_mail', 't~'));
    expect(again && (await gate.journal.retry(again, { fence }))).toBeNull();
  });
});

describe('what a session has done is known', () => {
  it('of a program’s call that a person approved', async () => {
    const { gate, one, flags } = await openTwo();
    const asked = await one.propose('mail.ask_send');
    expect(await flags({ program })).toEqual([]);
    await gate.decisions.decide([approval(asked)], ana);
    expect(await flags({ program })).toEqual(['write']);
  });

  it('of several calls that a person approved at once', async () => {
    const { gate, one, flags } = await openTwo();
    const asked = [await one.propose('mail.ask_send'), await one.propose('web.ask_page')];
    await gate.decisions.decide(asked.map(approval), ana);
    expect(await flags({ program })).toEqual(['untrusted', 'write']);
  });

  it('of a message that is answered beside it', async () => {
    const { one, flags } = await openTwo();
    await one.begin('mail.list_mail', 't');
    await one.begin('web.list_page', 't~');
    expect((await one.begin('mail.send_mail', 't~')).kind).toBe('waiting');
    expect(await flags()).toEqual(['private', 'untrusted']);
  });
});
