import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Need } from '../../../../src/gate/call/need.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { entriesOf } from '../../../helpers/audit.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const done = { server: 'calendar', elicitationId: 'page 1', personId: null };
const page: Need = {
  kind: 'oauth_url',
  elicitationId: 'page 1',
  url: 'https://example.com/connect',
  message: 'Connect',
};
const form: Need = {
  kind: 'form_elicitation',
  elicitationId: 'f1',
  message: 'Pay',
  requestedSchema: { type: 'object', properties: {} },
};
const pageInCall: Need = { ...form, url: 'https://example.com/pay', page: 'page 1' };

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

/** An approved call that is under way. */
async function begun(): Promise<CallRecord> {
  const fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, proposed('c1')));
  const { digest } = await fixture.call('c1');
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  return (await fixture.gate.journal.begin(beginning(fence, proposed('c1')))).call;
}

/** One that its server refused until somebody has been at a page. */
const blocked = async (need: Need = page) => fixture.gate.elicitation.block(await begun(), need);
/** One whose server asks for a page meanwhile. */
const asked = async (need: Need = pageInCall) => fixture.gate.elicitation.requestForm(await begun(), need);

async function answers() {
  const entries = await entriesOf(fixture.store);
  return entries.filter(({ what }) => what === 'need_answered');
}

describe('the word of a server that a page is done', () => {
  it('lets the call go on that it had refused until then, with what was approved', async () => {
    await blocked();
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toMatchObject({
      state: 'approved',
      need: null,
      decision: { actor: ana },
    });
    const again = await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')));
    expect(again).toMatchObject({ kind: 'ready', call: { attempt: 2 } });
    expect(again.call.doubt).toBeUndefined();
  });

  it('answers what it asked during a call, for that question alone', async () => {
    await asked();
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toMatchObject({
      state: 'executing',
      need: null,
      elicitationAnswer: { action: 'accept', content: null, by: 'server', elicitationId: 'f1' },
    });
  });

  it.each([
    ['before', blocked],
    ['during', asked],
  ])(
    'is in the audit as the server’s, not as a person’s, where it asked %s the call',
    async (_when, wait) => {
      await wait();
      await fixture.gate.elicitation.pageCompleted(done);
      expect(await answers()).toMatchObject([
        { actor: { id: 'server:calendar', name: 'calendar' }, details: { answer: 'page_done' } },
      ]);
    },
  );

  it('counts where the connection is that of whoever asked', async () => {
    await blocked();
    await fixture.gate.elicitation.pageCompleted({ ...done, personId: ana.id });
    expect((await fixture.call('c1')).state).toBe('approved');
  });

  it.each([
    ['of another page', { elicitationId: 'page 2' }],
    ['of a page whose name only begins like it', { elicitationId: 'page' }],
    ['of another server', { server: 'drive' }],
    ['by another person’s connection', { personId: bob.id }],
  ])('%s changes nothing', async (_which, other) => {
    const before = await blocked();
    await fixture.gate.elicitation.pageCompleted({ ...done, ...other });
    expect(await fixture.call('c1')).toEqual(before);
    expect(await answers()).toEqual([]);
  });

  it('counts once, however often it comes', async () => {
    await blocked();
    await Promise.all([
      fixture.gate.elicitation.pageCompleted(done),
      fixture.gate.elicitation.pageCompleted(done),
    ]);
    const after = await fixture.call('c1');
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toEqual(after);
    expect(await answers()).toHaveLength(1);
  });

  it('counts once where somebody goes on by hand at the same time', async () => {
    await blocked();
    await Promise.allSettled([
      fixture.gate.elicitation.pageCompleted(done),
      fixture.gate.elicitation.retry(KEY, ana),
    ]);
    expect((await fixture.call('c1')).state).toBe('approved');
    expect(await answers()).toHaveLength(1);
  });

  it.each([
    ['was taken back', 'cancelled'],
    ['was answered by hand', 'approved'],
  ])('is of no call that %s', async (_what, state) => {
    await blocked();
    if (state === 'approved') await fixture.gate.elicitation.retry(KEY, ana);
    else
      await fixture.gate.requests.withdraw(
        (await fixture.gate.requests.openIn(THREAD))?.requestId ?? '',
        ana,
      );
    const before = await fixture.call('c1');
    expect(before.state).toBe(state);
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toEqual(before);
  });

  it('is of no call that has ended while it asked', async () => {
    const call = await asked();
    const before = await fixture.gate.journal.finish(call, {
      status: 'succeeded',
      content: [],
      structured: null,
    });
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toEqual(before);
  });

  it('approves nothing', async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toMatchObject({ state: 'pending', decision: null });
  });

  it('does not let a call run that the policy refuses by now', async () => {
    await blocked();
    await fixture.gate.elicitation.pageCompleted(done);
    const verdict = { ...(await fixture.call('c1')).verdict, action: 'deny' as const };
    const stricter = openGate({ store: fixture.store, evaluate: () => verdict });
    const { kind, call } = await stricter.gate.journal.begin(
      beginning(await fixture.fence(), proposed('c1')),
    );
    expect([kind, call.state]).toEqual(['ended', 'denied']);
  });

  it('is of no sign-in of ours, whatever name it is known by', async () => {
    const connect = { server: 'calendar', scope: null, resourceMetadataUrl: null };
    const before = await blocked({ ...page, connect });
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toEqual(before);
  });

  it('is of no form to fill in, by our own name of it', async () => {
    const before = await asked(form);
    await fixture.gate.elicitation.pageCompleted({ ...done, elicitationId: 'f1' });
    expect(await fixture.call('c1')).toEqual(before);
  });

  it('is of no page that is asked for before the call begins and wants an answer', async () => {
    const input = { requestState: null, asked: [{ key: 'a', need: pageInCall }], answers: {}, rounds: 1 };
    const before = await fixture.gate.elicitation.block(await begun(), pageInCall, input);
    await fixture.gate.elicitation.pageCompleted(done);
    expect(await fixture.call('c1')).toEqual(before);
  });

  it('may name the page by any text', async () => {
    const elicitationId = '\u0000\u0001 ☃ \ud800';
    await blocked({ ...page, elicitationId });
    await fixture.gate.elicitation.pageCompleted({ ...done, elicitationId: '\u0000\u0001 ☃' });
    expect((await fixture.call('c1')).state).toBe('blocked');
    await fixture.gate.elicitation.pageCompleted({ ...done, elicitationId });
    expect((await fixture.call('c1')).state).toBe('approved');
  });
});

describe('the word of a server that comes before it is on record that the call waits for the page', () => {
  it('lets a call go on that the server refuses after it', async () => {
    const call = await begun();
    await fixture.gate.elicitation.pageCompleted(done);
    await fixture.gate.elicitation.block(call, page);
    expect(await fixture.call('c1')).toMatchObject({ state: 'approved', need: null });
    expect(await answers()).toMatchObject([{ actor: { id: 'server:calendar' } }]);
  });

  it('answers what the server asks after it', async () => {
    const call = await begun();
    await fixture.gate.elicitation.pageCompleted(done);
    await fixture.gate.elicitation.requestForm(call, pageInCall);
    expect(await fixture.call('c1')).toMatchObject({
      state: 'executing',
      need: null,
      elicitationAnswer: { by: 'server', elicitationId: 'f1' },
    });
  });

  it.each([
    ['of another page', { elicitationId: 'page 2' }],
    ['of another server', { server: 'drive' }],
    ['by another person’s connection', { personId: bob.id }],
  ])('%s changes nothing', async (_which, other) => {
    const call = await begun();
    await fixture.gate.elicitation.pageCompleted({ ...done, ...other });
    expect(await fixture.gate.elicitation.block(call, page)).toEqual(await fixture.call('c1'));
    expect((await fixture.call('c1')).state).toBe('blocked');
  });

  it('is not missed where the same was said by another person’s connection before', async () => {
    const call = await begun();
    for (const { id } of [bob, ana]) await fixture.gate.elicitation.pageCompleted({ ...done, personId: id });
    await fixture.gate.elicitation.block(call, page);
    expect((await fixture.call('c1')).state).toBe('approved');
  });

  it('is of no call that was sent after it', async () => {
    await fixture.gate.elicitation.pageCompleted(done);
    fixture.time.now += 1;
    await blocked();
    expect((await fixture.call('c1')).state).toBe('blocked');
  });

  it('is of no sign-in of ours', async () => {
    const call = await begun();
    await fixture.gate.elicitation.pageCompleted(done);
    const connect = { server: 'calendar', scope: null, resourceMetadataUrl: null };
    await fixture.gate.elicitation.block(call, { ...page, connect });
    expect((await fixture.call('c1')).state).toBe('blocked');
  });

  it('is forgotten for a hundred others of that server, and for none of another', async () => {
    const call = await begun();
    const sayMuch = async (server: string, count: number) => {
      for (let index = 0; index < count; index += 1) {
        await fixture.gate.elicitation.pageCompleted({
          server,
          elicitationId: `other ${index}`,
          personId: null,
        });
      }
    };
    await fixture.gate.elicitation.pageCompleted(done);
    await sayMuch('drive', 100);
    await sayMuch('calendar', 99);
    await fixture.gate.elicitation.block(call, page);
    expect((await fixture.call('c1')).state).toBe('approved');
    const again = await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')));
    await sayMuch('calendar', 1);
    await fixture.gate.elicitation.block(again.call, page);
    expect((await fixture.call('c1')).state).toBe('blocked');
  });
});

describe('a server that wants one page after another without beginning', () => {
  /** What the server wants once more, as often as the call goes on to be sent. */
  async function again(need: Need = page): Promise<CallRecord> {
    fixture.time.now += 1;
    const { kind, call } = await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')));
    expect(kind).toBe('ready');
    return fixture.gate.elicitation.block(call, need);
  }
  async function state(): Promise<string> {
    return (await fixture.call('c1')).state;
  }

  it('lets the call go on by its own word three times in a row, and then only after a person’s', async () => {
    await blocked();
    for (let round = 0; round < 2; round += 1) {
      for (let word = 0; word < 3; word += 1) {
        await fixture.gate.elicitation.pageCompleted(done);
        expect(await state()).toBe('approved');
        await again();
      }
      const before = await fixture.call('c1');
      await fixture.gate.elicitation.pageCompleted(done);
      expect(await fixture.call('c1')).toEqual(before);
      expect(before.state).toBe('blocked');
      await fixture.gate.elicitation.retry(KEY, ana);
      await again();
    }
  });

  it('has the same count after a restart', async () => {
    await blocked();
    for (let word = 0; word < 3; word += 1) {
      await fixture.gate.elicitation.pageCompleted(done);
      await again();
    }
    await openGate({ store: fixture.store }).gate.elicitation.pageCompleted(done);
    expect(await state()).toBe('blocked');
  });

  it('fails the call that wants an eleventh, whoever let it go on', async () => {
    await blocked();
    for (let pages = 1; pages < 10; pages += 1) {
      await fixture.gate.elicitation.retry(KEY, ana);
      expect((await again()).state).toBe('blocked');
    }
    await fixture.gate.elicitation.retry(KEY, ana);
    expect(await again()).toMatchObject({
      state: 'failed',
      need: null,
      outcome: {
        message:
          'calendar asked to open a page 10 times and still didn’t begin. Nothing was done. Ask again to retry.',
      },
    });
  });

  it('is no server that people sign in to here, however often', async () => {
    const connect = { server: 'calendar', scope: null, resourceMetadataUrl: null };
    await blocked({ ...page, connect });
    for (let times = 0; times < 12; times += 1) {
      await fixture.gate.elicitation.retry(KEY, ana);
      expect((await again({ ...page, connect })).state).toBe('blocked');
    }
  });
});
