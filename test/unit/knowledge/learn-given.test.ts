import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKnowledge } from '../../../src/knowledge/index.ts';
import { EVERYBODY, type Gift, givenId, hashContent, type ParseFile } from '../../../src/knowledge/ports.ts';
import {
  type DocumentIndex,
  type DocumentRecord,
  openDocumentIndex,
} from '../../../src/storage/documents/index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const gift = (changes: Partial<Gift> = {}): Gift => ({
  origin: 'slack',
  key: 'F1',
  name: 'report.txt',
  owner: 'ana',
  readers: [EVERYBODY],
  link: null,
  content: Buffer.from('apples'),
  at: null,
  ...changes,
});

function open(
  path = ':memory:',
  parse: ParseFile = readAll,
  around: (index: DocumentIndex) => DocumentIndex = (index) => index,
) {
  const index = around(openDocumentIndex(path));
  const quiet = () => undefined;
  const knowledge = createKnowledge({
    findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
    folders: [],
    index,
    parse,
    clock: () => 1_000,
    log: { info: quiet, warn: quiet, error: quiet },
  });
  onTestFinished(() => knowledge.stop());
  const told: DocumentRecord[] = [];
  knowledge.onLearned(async (document) => void told.push(document));
  const finds = async (word: string) =>
    (await index.find([word], { readers: [EVERYBODY], limit: 5 })).map(({ text }) => text);
  return { knowledge, index, told, finds };
}

const readAll: ParseFile = async (content, _kind, { onProgress } = {}) => {
  onProgress?.(1, 2);
  const text = content.toString('utf8');
  return { ok: true, document: { title: null, pages: 2, blocks: [{ kind: 'text', text, page: 1 }] } };
};

describe('documents that are given', () => {
  it('are learned once, and their giver is told; the same again changes nothing, another version replaces it', async () => {
    const { knowledge, told, finds } = open();
    const pages: number[] = [];
    knowledge.onProgress(({ name }, done, all) => void (name === 'report.txt' && pages.push(done, all)));
    expect(await knowledge.give(gift())).toBe('kept');
    await knowledge.look();
    expect(await finds('apples')).toEqual(['apples']);
    expect(told).toMatchObject([{ name: 'report.txt', pages: 2, passages: 1, owner: 'ana' }]);
    expect(pages).toEqual([1, 2]);
    expect(await knowledge.give(gift())).toBe('same');
    expect(await knowledge.give(gift({ content: Buffer.from('pears') }))).toBe('kept');
    await knowledge.look();
    expect([await finds('apples'), await finds('pears'), told.length]).toEqual([[], ['pears'], 2]);
  });

  it('take other readers without being read again', async () => {
    let count = 0;
    const { knowledge, finds } = open(':memory:', (...args) => {
      count += 1;
      return readAll(...args);
    });
    await knowledge.give(gift());
    await knowledge.look();
    expect(await knowledge.give(gift({ readers: ['person:ana'] }))).toBe('kept');
    await knowledge.look();
    expect([await finds('apples'), count]).toEqual([[], 1]);
  });

  it('are read again where that took too long before', async () => {
    let isBusy = true;
    const { knowledge, finds } = open(':memory:', async (...args) =>
      isBusy ? { ok: false, problem: 'too_slow' } : readAll(...args),
    );
    await knowledge.give(gift({ link: 'https://example.com/1' }));
    await knowledge.look();
    expect(await finds('apples')).toEqual([]);
    isBusy = false;
    // Dropped into Slack once more, it has another link.
    await knowledge.give(gift({ link: 'https://example.com/2' }));
    await knowledge.look();
    expect(await finds('apples')).toEqual(['apples']);
  });

  it('say how many of their pages have no text, where that is most of them', async () => {
    const pagesWithText = { most: 2, half: 20, all: 40 };
    const { knowledge, told } = open(':memory:', async (content) => {
      const count = Number(content.toString('utf8'));
      const blocks = Array.from({ length: count }, (_, at) => ({
        ...{ kind: 'text' as const, text: `of page ${at + 1}`, page: at + 1 },
      }));
      // A page may have more than one passage.
      return {
        ok: true,
        document: {
          title: null,
          pages: 40,
          blocks: [...blocks, { kind: 'text', text: 'more', page: count }],
        },
      };
    });
    for (const [key, count] of Object.entries(pagesWithText))
      await knowledge.give(gift({ key, name: `${key}.pdf`, content: Buffer.from(String(count)) }));
    // Slides without text are pictures as a rule.
    await knowledge.give(gift({ key: 'slides', name: 'slides.pptx', content: Buffer.from('2') }));
    await knowledge.look();
    const counts = new Map<string, number>();
    for (const document of told) counts.set(document.name, await knowledge.countEmptyPages(document));
    expect(Object.fromEntries(counts)).toEqual({
      'most.pdf': 38,
      'half.pdf': 0,
      'all.pdf': 0,
      'slides.pptx': 0,
    });
  });

  it('are refused by their kind, and gone once they are forgotten, also while they are read', async () => {
    const reading = Promise.withResolvers<void>();
    const { knowledge, index, finds, told } = open(':memory:', async (...args) => {
      await reading.promise;
      return readAll(...args);
    });
    expect(await knowledge.give(gift({ name: 'program.exe' }))).toBe('unknown_kind');
    await knowledge.give(gift());
    expect(await knowledge.forget('slack', 'F1')).toBe(true);
    reading.resolve();
    await knowledge.look();
    expect([await finds('apples'), await index.list(), told]).toEqual([[], [], []]);
    expect(await knowledge.forget('slack', 'F1')).toBe(false);
  });

  it('are learned after a restart where it stopped before, and told again where that failed', async () => {
    const path = join(temporaryFolder(), 'documents.db');
    const first = open(path, () => Promise.reject(new Error('no process')));
    await first.knowledge.give(gift());
    await first.knowledge.stop();
    const second = open(path);
    second.knowledge.onLearned(() => Promise.reject(new Error('Slack is away')));
    await second.knowledge.start();
    expect(second.told).toHaveLength(1);
    await second.knowledge.stop();
    const third = open(path);
    await third.knowledge.start();
    expect(await third.finds('apples')).toEqual(['apples']);
    expect(third.told).toHaveLength(1);
    await third.knowledge.look();
    expect(third.told).toHaveLength(1);
  });

  it('are learned of each owner in turn, however much one of them has given', async () => {
    const reading = Promise.withResolvers<void>();
    const { knowledge, told } = open(':memory:', async (...args) => {
      await reading.promise;
      return readAll(...args);
    });
    for (const key of ['1', '2', '3']) await knowledge.give(gift({ key, name: `ana-${key}.txt` }));
    await knowledge.give(gift({ key: '4', name: 'ben.txt', owner: 'ben' }));
    reading.resolve();
    await knowledge.look();
    expect(told.map(({ name }) => name)).toEqual(['ana-1.txt', 'ben.txt', 'ana-2.txt', 'ana-3.txt']);
  });

  const pears = gift({ content: Buffer.from('pears') });

  it('are what was given last, also where that is what was learned before the version that waits', async () => {
    const reading = Promise.withResolvers<void>();
    const { knowledge, told, finds } = open(':memory:', async (content, ...args) => {
      if (content.toString() === 'pears') await reading.promise;
      return readAll(content, ...args);
    });
    await knowledge.give(gift());
    await knowledge.look();
    expect(await knowledge.give(pears)).toBe('kept');
    expect(await knowledge.give(gift())).toBe('kept');
    reading.resolve();
    await knowledge.look();
    await knowledge.look();
    expect([await finds('apples'), await finds('pears')]).toEqual([['apples'], []]);
    expect(told.at(-1)).toMatchObject({ hash: hashContent(Buffer.from('apples')) });
    expect(await knowledge.give(gift())).toBe('same');
  });

  it('are learned of the content that was given as them, however fast others come and go', async () => {
    let isFirst = true;
    const { knowledge, finds } = open(':memory:', readAll, (index) => ({
      ...index,
      async content(...of) {
        const isNow = isFirst;
        isFirst = false;
        if (isNow) await knowledge.give(pears);
        const content = await index.content(...of);
        if (isNow) await knowledge.give(gift());
        return content;
      },
    }));
    await knowledge.give(gift());
    await knowledge.look();
    await knowledge.look();
    expect([await finds('apples'), await finds('pears')]).toEqual([['apples'], []]);
  });

  it('are of the version that was brought last, and one that comes late changes nothing', async () => {
    const { knowledge, finds } = open();
    expect(await knowledge.give({ ...pears, at: 2_000 })).toBe('kept');
    expect(await knowledge.give(gift({ at: 1_500 }))).toBe('older');
    await knowledge.look();
    expect([await finds('apples'), await finds('pears')]).toEqual([[], ['pears']]);
    // One that says no time is the last, whatever the clock says.
    expect(await knowledge.give(gift({ at: null }))).toBe('kept');
    await knowledge.look();
    expect([await finds('apples'), await finds('pears')]).toEqual([['apples'], []]);
  });

  it('that are forgotten by their content take no newer version with them, also while they are read', async () => {
    const reading = Promise.withResolvers<void>();
    const { knowledge, finds, index } = open(':memory:', async (...args) => {
      await reading.promise;
      return readAll(...args);
    });
    const id = givenId('slack', 'F1');
    const [apples, newer] = [gift(), pears].map(({ content }) => hashContent(content));
    await knowledge.give(gift());
    await knowledge.give(pears);
    await knowledge.forgetById(id, apples);
    reading.resolve();
    await knowledge.look();
    expect(await finds('pears')).toEqual(['pears']);
    await knowledge.forgetById(id, apples);
    expect(await finds('pears')).toEqual(['pears']);
    await knowledge.forgetById(id, newer);
    expect([await finds('pears'), await index.list(), await index.waiting()]).toEqual([[], [], []]);
  });

  it('aren’t there, not even for a moment, where they were forgotten as their passages were put', async () => {
    const { knowledge, index, told } = open(':memory:', readAll, (inner) => ({
      ...inner,
      async putGiven(...learned) {
        await inner.remove(learned[0].id);
        return inner.putGiven(...learned);
      },
    }));
    await knowledge.give(gift());
    await knowledge.look();
    expect([await index.list(), told]).toEqual([[], []]);
  });
});
