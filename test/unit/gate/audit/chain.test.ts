import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { auditHeads, entryHash, NO_THREAD } from '../../../../src/gate/audit/chain.ts';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { sha256Hex } from '../../../../src/lib/canonical-json.ts';
import { StoreError } from '../../../../src/lib/errors.ts';
import type { Fence } from '../../../../src/storage/lease/types.ts';
import { put, type Store } from '../../../../src/storage/store.ts';
import { entriesOf, inShort, problemsOf } from '../../../helpers/audit.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';
import { ROOT } from '../../../helpers/sources.ts';

let fixture: OpenGate;
let fence: Fence;
beforeEach(async () => {
  fixture = openGate();
  fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, proposed('c1'), proposed('c2')));
});

const KEY = callKey(THREAD, 'c1');

async function decide(callId: string, input: Partial<DecisionInput>, actor = ana) {
  const { digest } = await fixture.call(callId);
  const decision = { callKey: callKey(THREAD, callId), digest, type: 'approve' as const, ...input };
  return fixture.gate.decisions.decide([decision], actor);
}

/** What was entered after the two calls were put to people. */
const since = async () => (await entriesOf(fixture.store, THREAD)).slice(2);
const shortly = async () => (await since()).map(inShort);

describe('the audit', () => {
  it('begins with who was asked what, under which rule, with digests and without arguments', async () => {
    const [asked] = await entriesOf(fixture.store, THREAD);
    const call = await fixture.call('c1');
    expect(asked).toMatchObject({
      threadId: THREAD,
      seq: 1,
      at: fixture.time.now,
      actor: ana,
      what: 'asked',
      requestId: call.requestId,
      callId: 'c1',
      digest: call.digest,
      details: { tool: 'calendar.create_event', state: 'pending', rule: 'default', definition: 'v1' },
      previous: null,
    });
    expect(JSON.stringify(asked)).not.toContain('Standup');
  });

  it('has the words that came with an approval by their digest, and at the end what they were taken for', async () => {
    await decide('c1', { instruction: ' and tell Bob ' });
    const { call } = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    await fixture.gate.journal.finish(call, { status: 'succeeded', content: [], structured: null });
    const entries = await since();
    expect(
      entries.map(({ what, details }) => [what, details.instructionDigest, details.instruction]),
    ).toEqual([
      ['decided', sha256Hex('and tell Bob'), undefined],
      ['executing', undefined, 'enhance'],
      ['ended', undefined, 'enhance'],
    ]);
    expect(JSON.stringify(entries)).not.toContain('tell Bob');
  });

  it('chains each entry to the one before, and records the end', async () => {
    await decide('c1', {});
    const entries = await entriesOf(fixture.store, THREAD);
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(entries.map(({ previous }) => previous)).toEqual([null, entries[0]?.hash, entries[1]?.hash]);
    expect(entries.map(entryHash)).toEqual(entries.map(({ hash }) => hash));
    const head = await fixture.store.get(auditHeads, THREAD);
    expect(head?.value).toEqual({ threadId: THREAD, seq: 3, hash: entries[2]?.hash, sealed: null });
  });

  it('follows a call to its end', async () => {
    await decide('c1', {});
    const begun = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    await fixture.gate.journal.finish(begun.call, { status: 'succeeded', content: [], structured: null });
    await decide('c2', { type: 'reject', feedback: 'no' });
    await fixture.gate.requests.close((await fixture.call('c1')).requestId ?? '', fence);
    expect(await shortly()).toEqual([
      'Ana decided c1 approve',
      'Countersign executing c1',
      'Countersign ended c1',
      'Ana decided c2 reject',
      'Countersign closed -',
    ]);
  });

  it('keeps the digests of both arguments of an edit, and of the words of a rejection', async () => {
    const { digest } = await fixture.call('c1');
    await decide('c1', { type: 'edit', arguments: { title: 'Retro' } });
    await decide('c2', { type: 'reject', feedback: 'a secret reason' });
    const [edit, rejection] = await since();
    expect(edit).toMatchObject({
      digest: (await fixture.call('c1')).digest,
      details: { decision: 'edit', digestBefore: digest },
    });
    expect(edit?.digest).not.toBe(digest);
    expect(rejection?.details.feedbackDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([edit, rejection])).not.toMatch(/Retro|Standup|secret/);
  });

  it('has what the policy denies, asked about or not', async () => {
    await fixture.gate.journal.begin(beginning(fence, proposed('d1', { name: 'drop_calendar' }, {})));
    const request = { ...opening(fence, proposed('d2', { name: 'drop_calendar' }, {})), interruptId: 'i2' };
    await fixture.gate.requests.open(request);
    expect(await shortly()).toEqual(['Ana denied d1', 'Ana denied d2']);
    expect((await since())[0]?.details).toMatchObject({ rule: 'no dropping', state: 'denied' });
  });

  it('has who withdrew, what expired, and what somebody said of a doubt', async () => {
    await fixture.gate.decisions.withdraw(KEY, ana, { digest: null });
    fixture.time.now += 60_001;
    await fixture.gate.requests.expire();
    expect(await shortly()).toEqual(['Ana withdrawn c1', 'Countersign expired c2']);
  });

  it('has what a newer message took the place of', async () => {
    await fixture.gate.requests.cancel((await fixture.call('c1')).requestId ?? '', ana, { as: 'superseded' });
    expect(await shortly()).toEqual(['Ana superseded c1', 'Ana superseded c2', 'Countersign closed -']);
  });

  it('has the word on a doubt, and a server’s questions with their answers', async () => {
    await decide('c1', {});
    const first = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    await fixture.gate.journal.finish(first.call, { status: 'in_doubt', message: 'The connection broke.' });
    await fixture.gate.decisions.settleDoubt(KEY, ana, { digest: null, answer: 'happened' });
    await decide('c2', {});
    const second = await fixture.gate.journal.begin(beginning(fence, proposed('c2')));
    const form = { kind: 'form_elicitation', elicitationId: 'f', message: '?', requestedSchema: {} } as const;
    await fixture.gate.elicitation.requestForm(second.call, form);
    const answer = { action: 'accept', content: { pin: '4711' } } as const;
    await fixture.gate.elicitation.answer(callKey(THREAD, 'c2'), ana, { elicitationId: 'f', answer });
    expect((await shortly()).filter((line) => !/executing|decided/.test(line))).toEqual([
      'Countersign ended c1',
      'Ana doubt_settled c1',
      'Countersign needs_person c2',
      'Ana need_answered c2',
    ]);
    expect(JSON.stringify(await since())).not.toContain('4711');
  });
});

describe('a refused attempt', () => {
  it('is entered with who, what, when and why, and changes nothing else', async () => {
    await expect(decide('c1', {}, bob)).rejects.toThrow('not_allowed');
    const [entry, ...others] = await since();
    expect(others).toEqual([]);
    const call = await fixture.call('c1');
    expect(entry).toMatchObject({
      actor: bob,
      what: 'refused',
      callId: 'c1',
      requestId: call.requestId,
      digest: call.digest,
      details: { attempt: 'approve', code: 'not_allowed', shown: call.digest, state: 'pending' },
    });
    expect(call.state).toBe('pending');
  });

  it.each([
    ['to approve twice', () => decide('c2', {}), 'Ana refused c2 approve already_decided'],
    ['with another digest', () => decide('c1', { digest: 'f'.repeat(64) }), 'Ana refused c1 approve changed'],
    [
      'to withdraw the request',
      async () => fixture.gate.requests.withdraw((await fixture.call('c1')).requestId ?? '', bob),
      'Bob refused - withdraw not_allowed',
    ],
    [
      'to open a form',
      () => fixture.gate.decisions.checkDecidable(KEY, bob, { digest: null }),
      'Bob refused c1 open a form not_allowed',
    ],
    ['to try again', () => fixture.gate.elicitation.retry(KEY, bob), 'Bob refused c1 retry not_allowed'],
  ])('is entered: %s', async (_what, attempt, line) => {
    await decide('c2', {});
    await expect(attempt()).rejects.toThrow();
    expect((await shortly()).at(-1)).toBe(line);
  });

  it('on a call that there is not, stands in a chain of its own, with as much of the name as fits', async () => {
    const input = { callKey: `made up ${'x'.repeat(500)}`, digest: null, type: 'approve' } as const;
    await expect(fixture.gate.decisions.decide([input], bob)).rejects.toThrow('unknown_call');
    const [entry] = await entriesOf(fixture.store, NO_THREAD);
    expect(entry).toMatchObject({ what: 'refused', callId: null, details: { code: 'unknown_call' } });
    expect(JSON.stringify(entry?.details.names)).toHaveLength(64 + '[""]'.length);
  });

  it('is entered once, however many layers it passes', async () => {
    const again = fixture.gate.audit.watch({ actor: bob, attempt: 'click' }, () => decide('c1', {}, bob));
    await expect(again).rejects.toThrow('not_allowed');
    expect(await shortly()).toEqual(['Bob refused c1 approve not_allowed']);
  });

  it('is entered whatever is in the person’s name', async () => {
    await expect(decide('c1', {}, { ...bob, name: 'Bob \ud800' })).rejects.toThrow('not_allowed');
    expect((await since())[0]?.actor.name).toBe('Bob \ufffd');
    expect(await problemsOf(fixture.store)).toEqual([]);
  });

  it('is refused as ever when it cannot be entered, and that is told', async () => {
    const told: string[] = [];
    const failing: Store = {
      ...fixture.store,
      commit: () => Promise.reject(new StoreError('The disk is full.')),
    };
    const gate = openGate({
      store: failing,
      onUnrecordedRefusal: (_cause, attempt) => void told.push(attempt),
    }).gate;
    await expect(
      gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], bob),
    ).rejects.toThrow('not_allowed');
    expect(told).toEqual(['approve by slack:T1:U2: not_allowed']);
  });
});

it('a hundred who decide one call at once: one decision, and ninety-nine refusals on record', async () => {
  const attempts = Array.from({ length: 100 }, () => decide('c1', {}));
  const settled = await Promise.allSettled(attempts);
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const lines = await shortly();
  expect(lines.filter((line) => line === 'Ana decided c1 approve')).toHaveLength(1);
  expect(lines.filter((line) => line === 'Ana refused c1 approve already_decided')).toHaveLength(99);
  expect(await problemsOf(fixture.store)).toEqual([]);
});

it('a decision whose entry does not fit the chain does not land by itself', async () => {
  const { store } = fixture;
  let others = 0;
  const contended: Store = {
    ...store,
    async commit(change) {
      // Somebody else adds to the chain between the look at its end and the commit.
      if (others < 3 && change.put?.some(({ collection }) => collection === auditHeads.name)) {
        others += 1;
        const head = await store.get(auditHeads, THREAD);
        if (head) await store.commit({ put: [put(auditHeads, THREAD, head.value)] });
      }
      return store.commit(change);
    },
  };
  const { gate } = openGate({ store: contended });
  await gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
  expect(others).toBe(3);
  expect(await shortly()).toEqual(['Ana decided c1 approve']);
  expect(await problemsOf(store)).toEqual([]);
});

it('nothing in the gate commits but by way of the audit', () => {
  const folder = join(ROOT, 'src/gate');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\bstore\.commit\b/.test(readFileSync(join(folder, file), 'utf8')));
  // Refusals and seals are entries themselves. A migration, by storage's reindex, changes nothing that an entry holds.
  expect(files.toSorted()).toEqual(['audit/seal.ts', 'refusal-log.ts', 'store/group-commit.ts']);
});
