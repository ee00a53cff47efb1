import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Content } from '../../../src/gate/types.ts';
import { checkPage } from '../../../src/notebook/index.ts';
import { sealPage } from '../../../src/notebook/seal.ts';
import { proposed } from '../../helpers/gate.ts';
import { openConversation, written } from '../../helpers/notebook.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';

/** How many turns the event loop had while something was done. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const counted = (async () => {
    for (; !isDone; turns += 1) await nextTurn();
  })();
  await work();
  isDone = true;
  await counted;
  return turns;
}

it('a large page is written and compared in slices, between which other work goes on', async () => {
  const blocks = Array.from({ length: 400 }, (_, index) => ['```text', ...manyLines(index), '```']);
  const about = { threadId: THREAD, entries: [], calls: [], isWithheld: () => false };
  let page = '';
  expect(await countTurns(async () => (page = await sealPage(blocks, about)))).toBeGreaterThan(5);
  expect(page.length).toBeGreaterThan(4_000_000);
  const lines = page.replaceAll('```text', '').replaceAll(/\n```$/gm, '');
  expect(await countTurns(() => checkPage(`${lines}\n\`\`\``, [], { isExported: false }))).toBeGreaterThan(5);
});

it('a conversation that is too long for a page has none, and nothing is noted of it', async () => {
  const messages = Array.from({ length: 60 }, (_, index) => written(`${index} ${'x'.repeat(90_000)}`));
  const { notebooks, chain } = openConversation(messages);
  await expect(notebooks.write(THREAD, { by: ana, reader: null })).rejects.toMatchObject({
    code: 'notebook_too_long',
  });
  expect(await chain()).toEqual([]);
});

it('one page is written at a time', async () => {
  const { notebooks, gate } = openConversation([written('hello')]);
  let going = 0;
  const counts: number[] = [];
  const search = gate.calls.search.bind(gate.calls);
  vi.spyOn(gate.calls, 'search').mockImplementation(async (...args) => {
    going += 1;
    counts.push(going);
    await nextTurn();
    const found = await search(...args);
    going -= 1;
    return found;
  });
  const by = [ana, ana, bob];
  const pages = await Promise.all(by.map((one) => notebooks.write(THREAD, { by: one, reader: null })));
  expect(pages.map((notebook) => notebook?.problems)).toEqual([[], [], []]);
  expect(counts).toEqual([1, 1, 1]);
});

it('a file is read without the page and the other files', async () => {
  const image: Content = { type: 'image', data: '', mimeType: 'image/png', kept: { name: 'k1', size: 3 } };
  const read: string[] = [];
  const get = (_files: object, name: string | symbol) => {
    read.push(String(name));
    return Buffer.from(String(name));
  };
  const files = new Proxy<Record<string, Buffer>>({}, { get });
  const { notebooks, ask, decide, run, chain } = openConversation([written('plot it')], files);
  await ask([proposed('c1')]);
  await decide('c1', ana, {});
  const second: Content = { ...image, kept: { name: 'k2', size: 3 } };
  await run('c1', { status: 'succeeded', content: [image, second], structured: null });
  const before = await chain();
  expect(await notebooks.file(THREAD, 'call-1-2-image.png')).toMatchObject({ content: Buffer.from('k2') });
  expect(read).toEqual(['k2']);
  expect(await notebooks.file(THREAD, 'call-1-3-image.png')).toBeNull();
  expect(await chain()).toEqual(before);
});

function manyLines(block: number): string[] {
  return Array.from({ length: 1_000 }, (_, line) => `${block}.${line}`.padEnd(10));
}
