import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toToolMessage } from '../../../src/agents/shared/tool-messages.ts';
import type { Content, Outcome } from '../../../src/gate/call/outcome.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { createKeptResults } from '../../../src/tools/large-results.ts';
import { callRecord } from '../slack/cards/fixtures.ts';

const HOUR = 3_600_000;

function open() {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const results = createKeptResults({ store, clock: () => 1_000 });
  return { store, results, call: callRecord() };
}

const answered = (
  content: readonly Content[],
  structured: Record<string, string> | null = null,
): Outcome => ({
  status: 'succeeded',
  content: [...content],
  structured,
});
const keptIn = (outcome: Outcome) =>
  outcome.status === 'in_doubt' ? [] : outcome.content.flatMap((it) => ('kept' in it && it.kept) || []);

describe('what stays in the record', () => {
  it('is everything, as long as it is small', async () => {
    const { results, call } = open();
    const small = answered([{ type: 'text', text: 'done' }], { id: 'evt_1' });
    expect(await results.keep(call, small)).toEqual(small);
    const doubt: Outcome = { status: 'in_doubt', message: 'lost' };
    expect(await results.keep(call, doubt)).toEqual(doubt);
  });

  it('is the beginning of a text that is large, and what is in it', async () => {
    const { results, call } = open();
    const text = JSON.stringify({ rows: Array.from({ length: 3_000 }, (_, id) => ({ id, name: 'x' })) });
    const outcome = await results.keep(call, answered([{ type: 'text', text }]));
    expect(outcome).toMatchObject({
      content: [{ text: text.slice(0, 4_000), kept: { size: text.length } }],
      structured: null,
    });
    expect(keptIn(outcome)[0]?.outline).toMatch(/^JSON with rows \(a list of 3,000\); /);
  });

  it('is one beginning where many small texts are large together', async () => {
    const { results, call } = open();
    const content = Array.from(
      { length: 40 },
      (_, index): Content => ({
        type: 'text',
        text: String(index).repeat(1_000),
      }),
    );
    const link: Content = { type: 'resource_link', uri: 'https://example.com', name: 'More' };
    const outcome = await results.keep(call, answered([link, ...content]));
    expect(outcome).toMatchObject({ content: [{ type: 'text', kept: {} }, link] });
  });

  it('holds structured content that is large once, whether or not a text repeats it', async () => {
    const { results, call } = open();
    const structured = { report: 'r'.repeat(20_000) };
    const json = JSON.stringify(structured);
    for (const content of [[], [{ type: 'text', text: json } as const]]) {
      const outcome = await results.keep(call, answered(content, structured));
      expect(outcome).toMatchObject({ content: [{ type: 'text' }], structured: null });
      expect(keptIn(outcome)[0]?.size).toBe(json.length);
    }
  });

  it('says where structured content that is large is stored whole, if a program waits for it', async () => {
    const { results, call } = open();
    const structured = { report: 'r'.repeat(100_000) };
    const ofProgram = { ...call, program: { id: 'key:builder', name: 'Builder', session: 's1' } };
    const outcome = await results.keep(ofProgram, answered([{ type: 'text', text: 'done' }], structured));
    const kept = outcome.status === 'succeeded' ? outcome.structuredKept : undefined;
    const size = JSON.stringify(structured).length;
    expect(kept).toMatchObject({ size });
    expect(await results.text(call.threadId, kept ?? { name: '' }, 0, size)).toBe(JSON.stringify(structured));
    await results.forgetCalls([{ ...ofProgram, outcome }]);
    expect(await results.text(call.threadId, kept ?? { name: '' }, 0, size)).toBeNull();
    expect(await results.keep(call, answered([], structured))).not.toHaveProperty('structuredKept');
  });

  it('holds structured content besides a longer text that does not say it, and in what is kept too', async () => {
    const { results, call } = open();
    const text = 'unrelated '.repeat(5_000);
    const readWith = async (structured: Record<string, string>) => {
      const outcome = await results.keep(call, answered([{ type: 'text', text }], structured));
      const [kept] = keptIn(outcome);
      return { outcome, read: kept && (await results.text(call.threadId, kept, 0, kept.size)) };
    };
    const small = { id: 'evt_1' };
    const found = await readWith(small);
    expect(found.read).toBe(`${text}\n${JSON.stringify(small)}`);
    expect(found.outcome).toMatchObject({ structured: small });
    const large = { id: 'evt_1', report: 'r'.repeat(20_000) };
    const foundLarge = await readWith(large);
    expect(foundLarge.read).toBe(`${text}\n${JSON.stringify(large)}`);
    expect(foundLarge.outcome).toMatchObject({ structured: null });
  });

  it('does not hold it twice where a text says it in other words, or says what it wraps', async () => {
    const { results, call } = open();
    const value = { report: 'r'.repeat(20_000) };
    for (const [said, structured] of [
      [JSON.stringify(value, null, 2), value],
      [JSON.stringify(value.report), { result: value.report }],
      [value.report, { result: value.report }],
    ] as const) {
      const outcome = await results.keep(call, answered([{ type: 'text', text: said }], structured));
      expect(keptIn(outcome)[0]?.size).toBe(said.length);
    }
  });

  it('names a picture and says how large it is, without its bytes', async () => {
    const { results, call } = open();
    const bytes = Buffer.from('not really a picture');
    const outcome = await results.keep(
      call,
      answered([{ type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' }]),
    );
    expect(outcome).toMatchObject({ content: [{ data: '', kept: { size: bytes.length } }] });
    const [kept] = keptIn(outcome);
    expect(kept && (await results.bytes(call.threadId, kept))).toEqual(bytes);
  });

  it('says so where the store does not take the rest: what happened is on record all the same', async () => {
    const { store, call } = open();
    const refusing = { ...store, commit: () => Promise.reject(new Error('full')) };
    const results = createKeptResults({ store: refusing, clock: () => 0 });
    const outcome = await results.keep(call, answered([{ type: 'text', text: 'x'.repeat(20_000) }]));
    expect(outcome).toMatchObject({
      status: 'succeeded',
      content: [{ text: `${'x'.repeat(4_000)}\n[The rest could not be stored.]` }],
    });
    expect(keptIn(outcome)).toEqual([]);
  });
});

describe('an answer that is too much in another way', () => {
  it('says of a long error its beginning, and keeps the rest', async () => {
    const { results, call } = open();
    const text = `no such row; ${'x'.repeat(5_000_000)}`;
    const failed: Outcome = { status: 'failed', message: text, content: [{ type: 'text', text }] };
    const outcome = await results.keep(call, failed);
    expect(outcome).toMatchObject({ status: 'failed', content: [{ kept: { size: text.length } }] });
    expect(JSON.stringify(outcome).length).toBeLessThan(10_000);
    const told = toToolMessage({ ...call, state: 'failed', outcome });
    expect(told.text).toContain('Failed: no such row');
    expect(told.text).toContain('read_result with result');
    const bare = await results.keep(call, { status: 'failed', message: text, content: [] });
    expect(JSON.stringify(bare).length).toBeLessThan(3_000);
  });

  it('holds a hundred links, and says how many there were besides; no address is longer than one is', async () => {
    const { results, call } = open();
    const link = (uri: string): Content => ({ type: 'resource_link', uri, name: 'More' });
    const links = Array.from({ length: 50_000 }, (_, index) => link(`https://example.com/${index}`));
    const outcome = await results.keep(
      call,
      answered([...links, link(`https://example.com/${'x'.repeat(9_000)}`)]),
    );
    const content = outcome.status === 'succeeded' ? outcome.content : [];
    expect(content).toHaveLength(101);
    expect(content.at(-1)).toEqual({
      type: 'text',
      text: '[49901 more links or files of this answer are left out.]',
    });
  });
});

describe('names of five megabytes', () => {
  const long = 'n'.repeat(5_000_000);
  it.each<[string, Content]>([
    [
      'a link',
      { type: 'resource_link', uri: 'https://example.com', name: long, title: long, mimeType: long },
    ],
    ['a picture', { type: 'image', data: 'AAAA', mimeType: long }],
    ['a sound', { type: 'audio', data: 'AAAA', mimeType: long }],
    ['a file', { type: 'resource', uri: 'file:///a', mimeType: long, blob: 'AAAA' }],
  ])('are cut, of %s', async (_what, piece) => {
    const { results, call } = open();
    const outcome = await results.keep(call, answered([piece]));
    expect(JSON.stringify(outcome).length).toBeLessThan(3_000);
    expect(outcome).toMatchObject({ content: [{ type: piece.type, mimeType: 'n'.repeat(500) }] });
  });
});

describe('what is kept', () => {
  it('is read from any place, across the records that it lies in', async () => {
    const { results, call } = open();
    const text = Array.from({ length: 30_000 }, (_, index) => `${index},`).join('');
    const [kept] = keptIn(await results.keep(call, answered([{ type: 'text', text }])));
    if (!kept) throw new Error('nothing was kept');
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length + 10), fc.nat(140_000), async (from, length) => {
        expect((await results.text(call.threadId, kept, from, length)) ?? '').toBe(
          text.slice(from, from + length),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('is of its own thread alone', async () => {
    const { results, call } = open();
    const outcome = await results.keep(call, answered([{ type: 'text', text: 'x'.repeat(20_000) }]));
    const [kept] = keptIn(outcome);
    expect(kept && (await results.text('slack:T1:C1:9.9', kept, 0, 10))).toBeNull();
    // Ids of threads over HTTP hold colons: a name must not lead from one into another.
    const [parent, rest] = [call.threadId.slice(0, 8), call.threadId.slice(9)];
    expect(kept && (await results.text(parent, { name: `${rest}:${kept.name}` }, 0, 10))).toBeNull();
  });

  it('goes with its call, texts and files to their last byte', async () => {
    const { results, call } = open();
    const outcome = await results.keep(
      call,
      answered([
        { type: 'text', text: 'x'.repeat(200_001) },
        { type: 'image', mimeType: 'image/png', data: Buffer.alloc(150_001).toString('base64') },
      ]),
    );
    expect(keptIn(outcome)).toHaveLength(2);
    await results.forgetCalls([{ ...call, outcome }]);
    expect(await results.forget(1_000 + HOUR, 100)).toBe(0);
  });

  it('goes after its time', async () => {
    const { results, call } = open();
    const [kept] = keptIn(await results.keep(call, answered([{ type: 'text', text: 'x'.repeat(90_000) }])));
    expect(await results.forget(1_000, 100)).toBe(0);
    expect(await results.forget(1_000 + HOUR, 1)).toBe(1);
    expect(await results.forget(1_000 + HOUR, 100)).toBe(1);
    expect(kept && (await results.text(call.threadId, kept, 0, 10))).toBeNull();
  });
});
