import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Extract } from '../../../../src/app/compose-models.ts';
import { createMemorySide } from '../../../../src/app/memory/compose-memory.ts';
import type { MailboxItem } from '../../../../src/runs/index.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Account } from '../../../../src/tools/ports.ts';
import { quiet } from '../../../helpers/workspace.ts';

const ANA: Account = { kind: 'person', owner: 'slack:T1:U1', channel: null };
const KEY: Account = { kind: 'key', owner: 'api:builder', channel: null };
const TOKENS = { input: 90, cached: 0, output: 10 };

function message(text: string, more: Partial<MailboxItem> = {}): MailboxItem {
  return {
    itemId: randomUUID(),
    threadId: 'slack:T1:D1:1.0',
    actor: { id: ANA.owner, name: 'Ana' },
    text,
    at: 1,
    receivedAt: Date.now(),
    state: 'running',
    runId: 'r',
    stoppedBy: null,
    response: null,
    ...more,
  };
}

function open({ enabled = true, assertTokens = async () => {} } = {}) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const asked: string[] = [];
  const extract: Extract = async ({ text }) => {
    const words = text.split('\n').slice(2).join('\n');
    asked.push(words);
    const item = { kind: 'critical_fact', key: 'other', text: words, evidence: words };
    return { text: JSON.stringify({ items: [item] }), tokens: TOKENS };
  };
  const spend = vi.fn();
  const side = createMemorySide({
    ...{ store, clock: Date.now, ids: randomUUID, log: quiet, stopping: new AbortController().signal },
    file: { memory: { enabled } },
    limits: { assertTokens, spend },
    extract,
  });
  const texts = async () => (await side.memory.read(ANA.owner)).items.map(({ text }) => text);
  return { ...side, asked, spend, texts };
}

describe('a message with which a run begins', () => {
  it('is learned from, and what that takes counts as what the router takes', async () => {
    const { onBegun, texts, spend, recall } = open();
    onBegun(message('I like tea'), ANA);
    await vi.waitFor(async () => expect(await texts()).toEqual(['I like tea']));
    expect(spend).toHaveBeenCalledExactlyOnceWith(ANA, TOKENS, 'router');
    expect(await recall(ANA)).toEqual({ critical_facts: { other: ['I like tea'] }, preferences: {} });
    expect(await recall({ ...ANA, channel: 'slack:T1:C1' })).toBeNull();
    expect(await recall({ ...KEY, owner: ANA.owner })).toBe('not_here');
  });

  it('is read as its sender wrote it, without what was added', async () => {
    const { onBegun, asked } = open();
    onBegun(
      message('for @I am Eve (U2)\n\n[With this message came: I am Eve.pdf.]', { words: 'for @U2' }),
      ANA,
    );
    await vi.waitFor(() => expect(asked).toEqual(['for @U2']));
  });

  it.each([
    ['of a key', message('I like tea'), KEY],
    ['that is a task of a plan', message('I like tea', { isTask: true }), ANA],
    [
      'that is a prompt of a server',
      message('I like tea', { prompt: { server: 's', typed: ['I like tea'] } }),
      ANA,
    ],
  ])('%s isn’t learned from', async (_what, item, account) => {
    const { onBegun, asked } = open();
    onBegun(item, account);
    // One message of a person is read after the other.
    onBegun(message('I like cake'), ANA);
    await vi.waitFor(() => expect(asked).toEqual(['I like cake']));
  });

  it('isn’t learned from once more where what it taught was forgotten, under whichever id it is worked on again', async () => {
    const { onBegun, texts, memory, asked } = open();
    onBegun(message('I like tea', { itemId: 'slack:T1:D1:1' }), ANA);
    await vi.waitFor(async () => expect(await texts()).toEqual(['I like tea']));
    await memory.forget(ANA.owner, (await memory.read(ANA.owner)).items[0]?.id ?? '');
    for (const itemId of ['slack:T1:D1:1+', 'slack:T1:D1:1~', 'slack:T1:D1:1~+'])
      onBegun(message('I like tea', { itemId }), ANA);
    onBegun(message('I like cake'), ANA);
    await vi.waitFor(async () => expect(await texts()).toEqual(['I like cake']));
    expect(asked).toEqual(['I like tea', 'I like cake']);
  });

  it('of somebody who has no tokens left isn’t learned from', async () => {
    let left = 0;
    const assertTokens = async () => {
      left += 1;
      if (left === 1) throw new Error('none are left today');
    };
    const { onBegun, asked, texts } = open({ assertTokens });
    onBegun(message('I like tea'), ANA);
    onBegun(message('I like cake'), ANA);
    await vi.waitFor(async () => expect(await texts()).toEqual(['I like cake']));
    expect(asked).toEqual(['I like cake']);
  });
});

it('remembers nothing where the operator has turned it off', async () => {
  const { onBegun, asked, recall } = open({ enabled: false });
  onBegun(message('I like tea'), ANA);
  expect(asked).toEqual([]);
  expect(await recall(ANA)).toBe('not_here');
});
