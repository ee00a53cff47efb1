import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EVERYBODY } from '../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { envelopeOf, post } from '../helpers/http-client.ts';
import {
  makeDocx,
  makePdf,
  makePptx,
  makeXlsx,
  makeZip,
  slideShape,
  wordParagraph,
  zeros,
} from '../helpers/made-documents.ts';
import { temporaryFolder } from '../helpers/process.ts';

const SLOW = 180_000;
const KEY = 'a-key-of-whoever-asks-documents-27182';
const foundSchema = z.object({
  passages: z.array(z.object({ name: z.string(), text: z.string() })),
  sources: z.array(z.object({ source: z.string(), place: z.string() })),
});
const lines = (text: string) => [{ text, size: 11 }];

/** Documents of all kinds, one that is encrypted, one that unpacks to too much, and one that is broken. */
function companyFolder(): string {
  const folder = temporaryFolder();
  const files: Readonly<Record<string, string | Buffer>> = {
    'travel.pdf': makePdf([lines('Trains come first.'), lines('A hotel costs up to 140 euros.')], {
      title: 'Travel',
    }),
    'leave.docx': makeDocx(wordParagraph('Leave', 'Heading1') + wordParagraph('Parents have sixteen weeks.')),
    'budget.xlsx': makeXlsx({
      Targets: [
        ['Region', 'Euros'],
        ['Benelux', 190_000],
      ],
    }),
    'plan.pptx': makePptx([
      { number: 1, shapes: slideShape('title', 'Roadmap') + slideShape('body', 'Ship in March.') },
    ]),
    'badge.html': '<h1>Access</h1><p>A lost badge costs 20 euros.</p><script>steal()</script>',
    'orders.csv': 'Month;Orders\nAugust;70\n',
    'notes.md': '# Meeting\n\nCarol prepares the comparison.',
    'holidays.txt': 'Whit Monday is the 25th of May.',
    'secret.pdf': makePdf([lines('Nobody reads this.')], { isEncrypted: true }),
    'bomb.docx': makeZip({ 'word/document.xml': zeros(40) }),
    'broken.xlsx': 'not a workbook',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** The app that learns a folder, and asks its documents. */
async function open(folder: string) {
  const { app, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      knowledge: { folders: [folder] },
      policy: { rules: [{ tools: 'documents.*', action: 'allow' }] },
      mcpServers: { documents: { in_process: 'documents' } },
    },
  });
  // Until all that is there is learned.
  await app.pass(0);
  let count = 0;
  /** What a tool answers the model that asks it. */
  async function ask(name: string, args: Record<string, string | number>): Promise<string> {
    count += 1;
    const run = post({ url: app.url, key: KEY }, '/run', {
      user_request: 'look it up',
      thread_id: `t${count}`,
    });
    await model.calls([{ name: `documents__${name}`, arguments: args }]);
    const heard = await model.heard();
    await model.says('Done.');
    expect(envelopeOf(await run)).toMatchObject({ http: 200, response: 'Done.' });
    return heard;
  }
  return {
    app,
    ask,
    search: async (query: string) => {
      const heard = await ask('search_documents', { query });
      return foundSchema.parse(JSON.parse(heard.slice(heard.indexOf('{'), heard.lastIndexOf('}') + 1)));
    },
  };
}

describe('documents of a folder', { timeout: SLOW }, () => {
  it('of all kinds are found with where they stand, and again after a restart; others are named with the reason', async () => {
    const folder = companyFolder();
    const { app, ask, search } = await open(folder);
    const questions = [
      ['hotel costs', 'travel.pdf', 'page 2', 'up to 140 euros'],
      ['weeks for parents', 'leave.docx', 'Leave', 'sixteen weeks'],
      ['Benelux target', 'budget.xlsx', 'sheet 1, Targets', '190000'],
      ['what ships in March?', 'plan.pptx', 'slide 1, Roadmap', 'Ship in March.'],
      ['lost badge', 'badge.html', 'Access', '20 euros'],
      ['orders in August', 'orders.csv', 'passage 1', '| August | 70 |'],
      ['who prepares the comparison?', 'notes.md', 'Meeting', 'Carol'],
      ['Whit Monday', 'holidays.txt', 'passage 1', '25th of May'],
    ] as const;
    const askAll = async () => {
      for (const [query, name, place, text] of questions) {
        const { passages, sources } = await search(query);
        expect(passages[0], query).toMatchObject({ name, text: expect.stringContaining(text) });
        expect(sources[0]).toEqual({ source: name, place });
      }
    };
    await askAll();
    const listed = await ask('list_documents', {});
    expect(listed).toContain('There are 8 documents. 3 more cannot be searched.');
    for (const why of ['protected by a password', 'unpacks to too much', 'is broken'])
      expect(listed).toContain(why);
    expect((await search('steal nobody reads')).passages).toEqual([]);

    await app.restart();
    await askAll();
    writeFileSync(join(folder, 'holidays.txt'), 'Whit Monday is a day like any other.');
    rmSync(join(folder, 'notes.md'));
    await app.pass(0);
    expect((await search('Whit Monday')).passages).toMatchObject([
      { text: expect.stringContaining('like any other') },
    ]);
    expect((await search('who prepares the comparison?')).passages).toEqual([]);
  });

  it('are whole or not there, wherever the process ends, and all of them are there after the next start', async () => {
    const folder = temporaryFolder();
    const names = Array.from({ length: 12 }, (_, index) => `d${index}.txt`);
    const write = (text: string) => {
      for (const name of names) {
        writeFileSync(join(folder, name), Array<string>(300).fill(`${text} ${name}`).join('\n\n'));
      }
    };
    const path = join(temporaryFolder(), 'documents.db');
    const learn = (ms: number | null) => learnUntil(folder, path, ms);
    write('old');
    for (const ms of [300, 900, 1_500]) await learn(ms);
    await learn(null);
    write('new');
    for (const ms of [500, 1_000, 1_700, 2_400]) {
      await learn(ms);
      if (!existsSync(path)) continue;
      const index = openDocumentIndex(path);
      for (const document of await index.list()) {
        const passages = await index.read(document.id, 1, 1_000);
        expect(passages).toHaveLength(document.passages);
        const words = new Set(
          passages.flatMap(({ text }) => text.split(/\s+/).filter((word) => /^(?:old|new)$/.test(word))),
        );
        expect(words.size).toBe(1);
      }
      await index.close();
    }
    await learn(null);
    const index = openDocumentIndex(path);
    expect((await index.list()).map(({ name }) => name)).toEqual(names.toSorted());
    expect(await index.find(['old'], { readers: [EVERYBODY], limit: 5 })).toEqual([]);
    expect(await index.find(['new'], { readers: [EVERYBODY], limit: 50 })).toHaveLength(50);
    await index.close();
    expect(readdirSync(folder)).toHaveLength(12);
  });
});

/** Learns a folder in a process that is killed after so long; null: once it has learned everything. */
async function learnUntil(folder: string, path: string, ms: number | null): Promise<void> {
  const script = new URL('../fixtures/learn-folder.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, folder, path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  if (ms === null) {
    expect(await ended).toEqual([0, null]);
    return;
  }
  await Promise.race([ended, delay(ms)]);
  child.kill('SIGKILL');
  await ended;
}
