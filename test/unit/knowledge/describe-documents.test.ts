import { describe, expect, it, onTestFinished } from 'vitest';
import { createDescriber } from '../../../src/knowledge/describe-documents.ts';
import type { AskModel } from '../../../src/knowledge/ports.ts';
import { type DocumentRecord, openDocumentIndex } from '../../../src/storage/documents/index.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const record = (id: string, changes: Partial<DocumentRecord> = {}): DocumentRecord => ({
  ...{ id, origin: 'folder', name: `${id}.md`, kind: 'markdown', owner: null, readers: ['all'], link: null },
  ...{ hash: 'h', version: '1', title: null, description: null, pages: null, passages: 1, problem: null },
  ...{ learnedAt: 1_000, changedAt: 1_000 },
  ...changes,
});
const passages = (...texts: string[]) => texts.map((text) => ({ page: null, section: '', text }));

function open(ask: AskModel) {
  const index = openDocumentIndex(':memory:');
  const describer = createDescriber({ index, ask, log: quiet });
  onTestFinished(async () => {
    await describer.stop();
    await index.close();
  });
  return { index, describer };
}

describe('what documents are about', () => {
  it('is said by the model of the beginning of each, on one line, and again of a new version', async () => {
    const asked: string[] = [];
    const { index, describer } = open(async ({ text }) => {
      asked.push(text);
      return `About\n\n[1] fruit\u0000 ${'x'.repeat(500)}`;
    });
    await index.put(record('fruit', { passages: 2 }), passages('apples', 'y'.repeat(9_000)));
    await index.put(record('scan', { problem: 'no_text', passages: 0 }), []);
    await describer.start();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('apples');
    expect(asked[0]?.length).toBeLessThan(6_100);
    const said = (await index.get('fruit'))?.description;
    expect(said).toMatch(/^About \[1\] fruit x+…$/);
    expect(said).toHaveLength(300);
    describer.learned();
    await describer.runNow();
    expect(asked).toHaveLength(1);
    await index.put(record('fruit', { hash: 'i' }), passages('pears'));
    describer.learned();
    await describer.runNow();
    expect(asked[1]).toContain('pears');
  });

  it('is tried twice, and the others are described meanwhile', async () => {
    const asked: string[] = [];
    const { index, describer } = open(async ({ text }) => {
      asked.push(/Name: (\w+)/.exec(text)?.[1] ?? '');
      if (text.includes('bad')) throw new Error('busy');
      return 'Fruit.';
    });
    await index.put(record('bad'), passages('apples'));
    await index.put(record('good'), passages('pears'));
    await describer.start();
    for (let more = 0; more < 3; more += 1) await describer.runNow();
    expect(asked).toEqual(['bad', 'good', 'bad']);
    expect((await index.get('good'))?.description).toBe('Fruit.');
  });
});
