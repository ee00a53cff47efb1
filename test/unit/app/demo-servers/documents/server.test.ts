import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createDocumentServer } from '../../../../../src/app/demo-servers/documents/server.ts';
import { createKnowledge, createParseFile } from '../../../../../src/knowledge/index.ts';
import { EVERYBODY } from '../../../../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../../../../src/storage/documents/index.ts';
import { temporaryFolder } from '../../../../helpers/process.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../../examples/documents');

const passageSchema = z.object({ name: z.string(), section: z.string(), place: z.int(), text: z.string() });
const foundSchema = z.object({ passages: z.array(passageSchema) });
const listSchema = z.object({
  documents: z.array(z.object({ name: z.string(), title: z.string().nullable() })),
  not_searched: z.array(z.object({ name: z.string(), why: z.string() })),
});

async function connect(folder = EXAMPLES, path = ':memory:') {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const knowledge = createKnowledge({
    findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
    folders: [folder],
    index: openDocumentIndex(path),
    parse: createParseFile(),
    clock: Date.now,
    log,
  });
  await knowledge.start();
  const server = createDocumentServer(async () => knowledge);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(async () => {
    await client.close();
    await knowledge.stop();
  });
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });
  return {
    client,
    call,
    look: knowledge.look,
    list: async () => listSchema.parse((await call('list_documents')).structuredContent),
    search: async (query: string, limit = 5) =>
      foundSchema.parse((await call('search_documents', { query, limit })).structuredContent).passages,
    read: (name: string, more = {}) => call('read_document', { name, ...more }),
  };
}

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const noSuchDocument = {
  isError: true,
  content: [
    { type: 'text', text: 'There is no such document; list_documents names them. Nothing was read.' },
  ],
};

describe('the server of documents', () => {
  it('says of the tools that only read that they do, and describes all properties', async () => {
    const { client } = await connect(folderWith({}));
    const { tools } = await client.listTools();
    const reading = ['list_documents', 'search_documents', 'read_document'];
    expect(tools.map(({ name }) => name)).toEqual([...reading, 'share_document', 'unshare_document']);
    for (const tool of tools) {
      const readOnlyHint = reading.includes(tool.name);
      expect(tool.annotations).toMatchObject({ readOnlyHint, openWorldHint: false });
      for (const property of Object.values(tool.inputSchema.properties ?? {})) {
        expect(property).toMatchObject({ title: expect.any(String), description: expect.any(String) });
      }
    }
  });

  it('lists the examples by their titles, and finds what stands in each, with where it stands', async () => {
    const { list, search, read, call } = await connect();
    const { documents, not_searched } = await list();
    expect(documents.map(({ name }) => name)).toEqual(readdirSync(EXAMPLES).sort());
    expect(documents).toContainEqual(
      expect.objectContaining({ name: 'travel-policy.md', title: 'Travel policy' }),
    );
    expect(documents).toContainEqual(
      expect.objectContaining({ name: 'office-handbook.html', title: 'Office handbook' }),
    );
    expect(not_searched).toEqual([]);
    for (const [query, name, section, text] of [
      ['how much may a hotel cost?', 'travel-policy.md', 'Travel policy › Hotels', '140 euros a night'],
      ['revenue targets for Q3 by region', 'budget-2026.md', 'Budget 2026 › Revenue targets', '420,000'],
      ['hosting contract cancelled', 'vendor-contracts.md', 'Northwind Hosting', '4,200'],
      ['Benelux orders by month', 'sales-q3-2026.csv', '', '| Benelux | 2026-08 | 70 | 50100 | 2600 |'],
      ['lost badges', 'office-handbook.html', 'Office handbook › Access', 'costs 20 €'],
      ['Whit Monday', 'holidays-2026.txt', '', '25 May'],
      ['who compares the quarter with the budget?', 'sales-meeting-2026-10-07.md', '', 'Carol prepares'],
      ['security training in the first week', 'onboarding.md', 'Onboarding › The first week', 'Wednesday'],
    ] as const) {
      const found = await search(query, 3);
      const fitting = found.find((passage) => passage.name === name && passage.text.includes(text));
      expect(fitting, `${query}: ${JSON.stringify(found)}`).toBeDefined();
      expect(fitting?.section).toContain(section);
    }
    const [first] = await search('mileage allowance', 1);
    expect(first).toMatchObject({ name: 'travel-policy.md', section: 'Travel policy › Expenses' });
    const page = await read('travel-policy.md', { from: first?.place });
    expect(page.structuredContent).toMatchObject({ text: expect.stringContaining(first?.text ?? 'none') });
    const { content, structuredContent } = await call('search_documents', { query: 'mileage', limit: 1 });
    expect(content[0]).toMatchObject({ text: expect.stringContaining('quoted from documents') });
    expect(structuredContent).toMatchObject({ sources: [{ source: 'travel-policy.md', place: 'Expenses' }] });
    for (const vain of ['xylophone', 'the of and', '(*?"']) expect(await search(vain)).toEqual([]);
    const nothing = await call('search_documents', { query: 'xylophone' });
    expect(nothing.content[0]).toMatchObject({ text: 'No document has any of these words.' });
  });

  it('gives a long document in parts', async () => {
    const lines = Array.from({ length: 900 }, (_, index) => `Paragraph number ${index + 1} of many.`);
    const { read } = await connect(folderWith({ 'long.txt': lines.join('\n\n') }));
    const parts: string[] = [];
    for (let from: unknown = 1; typeof from === 'number'; ) {
      const { structuredContent } = await read('long.txt', { from });
      const part = z.object({ text: z.string(), next: z.int().nullable() }).parse(structuredContent);
      parts.push(part.text);
      from = part.next;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('\n\n')).toBe(lines.join('\n\n'));
    expect(await read('long.txt', { from: 10_000 })).toMatchObject({ isError: true });
  });

  it('reads nothing but what it lists', async () => {
    const around = folderWith({
      'secret.txt': 'a secret',
      'docs/note.txt': 'a note',
      'docs/.env': 'KEY=secret',
    });
    const folder = join(around, 'docs');
    writeFileSync(join(folder, 'run.sh'), 'secret');
    symlinkSync(join(around, 'secret.txt'), join(folder, 'link.txt'));
    symlinkSync(around, join(folder, 'linked'));
    execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
    const { list, search, read } = await connect(folder);
    expect((await list()).documents.map((document) => document.name)).toEqual(['note.txt']);
    expect(await search('secret')).toEqual([]);
    const others = ['../secret.txt', '/etc/passwd', 'link.txt', 'linked/secret.txt', '.env', 'run.sh'];
    for (const name of [...others, 'note.txt/', './note.txt', 'note.txt\0.md', 'constructor']) {
      expect(await read(name), name).toMatchObject(noSuchDocument);
    }
  });

  it('of an index that is damaged names no files of this machine, and says where the reason is', async () => {
    const path = join(temporaryFolder(), 'documents.db');
    writeFileSync(path, 'no database'.repeat(1_000));
    const { call } = await connect(folderWith({ 'a.txt': 'apples' }), path);
    expect(await call('search_documents', { query: 'apples' })).toMatchObject({
      isError: true,
      content: [
        {
          text: 'The documents can’t be searched now; an admin finds the reason in the log. Nothing was read.',
        },
      ],
    });
  });

  it('says of a folder that can’t be read that it can’t, also where nothing is found', async () => {
    const { call } = await connect('/nowhere/handbook');
    for (const asked of [call('list_documents'), call('search_documents', { query: 'hotels' })]) {
      const [said] = (await asked).content;
      expect(said).toMatchObject({ text: expect.stringContaining("The folder handbook can't be read now") });
    }
  });
});
