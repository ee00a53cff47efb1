import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createDocumentServer } from '../../../../../src/app/demo-servers/documents/server.ts';
import { temporaryFolder } from '../../../../helpers/process.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../../examples/documents');

const passageSchema = z.object({ name: z.string(), heading: z.string(), line: z.int(), text: z.string() });
const foundSchema = z.object({ passages: z.array(passageSchema) });
const listSchema = z.object({
  documents: z.array(z.object({ name: z.string(), title: z.string().nullable(), lines: z.int() })),
  left_out: z.int(),
});

async function connect(folder = EXAMPLES) {
  const server = createDocumentServer(folder);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(() => client.close());
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });
  return {
    client,
    call,
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
  it('says of all its tools that they only read, and describes all properties', async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['list_documents', 'search_documents', 'read_document']);
    for (const tool of tools) {
      expect(tool.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
      for (const property of Object.values(tool.inputSchema.properties ?? {})) {
        expect(property).toMatchObject({ title: expect.any(String), description: expect.any(String) });
      }
    }
  });

  it('lists the examples by their titles', async () => {
    const { documents, left_out } = await (await connect()).list();
    expect(documents.map(({ name }) => name)).toEqual(readdirSync(EXAMPLES).sort());
    expect(documents).toContainEqual(
      expect.objectContaining({ name: 'travel-policy.md', title: 'Travel policy' }),
    );
    expect(documents).toContainEqual(
      expect.objectContaining({ name: 'office-handbook.html', title: 'Office handbook' }),
    );
    expect(left_out).toBe(0);
  });

  it.each([
    ['how much may a hotel cost?', 'travel-policy.md', 'Travel policy › Hotels', '140 euros a night'],
    ['revenue targets for Q3 by region', 'budget-2026.md', 'Budget 2026 › Revenue targets', 'DACH 420,000'],
    [
      'hosting contract cancelled',
      'vendor-contracts.md',
      'Vendor contracts: notes › Northwind Hosting',
      '4,200',
    ],
    ['Benelux orders by month', 'sales-q3-2026.csv', '', 'Benelux,2026-08,70,50100,2600'],
    ['lost badges', 'office-handbook.html', 'Office handbook › Access', 'costs 20 €'],
    ['Whit Monday', 'holidays-2026.txt', '', '25 May'],
    ['who compares the quarter with the budget?', 'sales-meeting-2026-10-07.md', '', 'Carol prepares'],
    ['security training in the first week', 'onboarding.md', 'Onboarding › The first week', 'Wednesday'],
  ])('finds %s', async (query, name, heading, text) => {
    const found = await (await connect()).search(query, 3);
    const fitting = found.find((passage) => passage.name === name && passage.text.includes(text));
    expect(fitting, JSON.stringify(found)).toBeDefined();
    if (heading !== '') expect(fitting?.heading).toBe(heading);
  });

  it('says where each passage stands, so that it is read from there', async () => {
    const { search, read, call } = await connect();
    const [first] = await search('mileage allowance', 1);
    expect(first).toMatchObject({ name: 'travel-policy.md', heading: 'Travel policy › Expenses' });
    const page = await read('travel-policy.md', { from: first?.line });
    expect(page.structuredContent).toMatchObject({ text: expect.stringContaining(first?.text ?? 'none') });
    const { content } = await call('search_documents', { query: 'mileage allowance', limit: 1 });
    expect(content[0]).toMatchObject({
      text: expect.stringMatching(
        /^What follows is quoted from documents:\n\ntravel-policy\.md, line \d+, under Travel policy › Expenses:\n/,
      ),
    });
  });

  it('finds nothing for words that are nowhere, or say nothing', async () => {
    const { search } = await connect();
    expect(await search('xylophone')).toEqual([]);
    expect(await search('the of and')).toEqual([]);
    expect(await search('(*?"')).toEqual([]);
  });

  it('gives a long document in parts', async () => {
    const lines = Array.from({ length: 450 }, (_, index) => `line ${index + 1}`);
    const { read } = await connect(
      folderWith({ 'long.txt': lines.join('\n'), 'wide.txt': 'x'.repeat(50_000) }),
    );
    expect((await read('long.txt')).structuredContent).toMatchObject({ from: 1, to: 200, next: 201 });
    expect((await read('long.txt', { from: 401 })).structuredContent).toMatchObject({
      to: 450,
      next: null,
      text: lines.slice(400).join('\n'),
    });
    expect(await read('long.txt', { from: 451 })).toMatchObject({ isError: true });
    expect((await read('wide.txt')).structuredContent).toMatchObject({ text: 'x'.repeat(10_000) });
  });

  it.each([
    '../secret.txt',
    'inner/../../secret.txt',
    '/etc/passwd',
    'link.txt',
    'linked/secret.txt',
    '.env',
    'run.sh',
    'note.txt/',
    './note.txt',
    'note.txt\0.md',
    'constructor',
  ])('reads nothing but what it lists, and not %s', async (name) => {
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
    expect(await read(name)).toMatchObject(noSuchDocument);
    expect((await list()).documents.map((document) => document.name)).toEqual(['note.txt']);
    expect(await search('secret')).toEqual([]);
  });

  it('reads folders below, and what has changed since', async () => {
    const folder = folderWith({ 'a/b/deep.md': '# Deep\n\nwater' });
    const { list, search } = await connect(folder);
    expect(await search('water')).toMatchObject([{ name: 'a/b/deep.md', heading: 'Deep', line: 3 }]);
    writeFileSync(join(folder, 'new.txt'), 'fire');
    expect(await search('fire')).toMatchObject([{ name: 'new.txt', line: 1 }]);
    expect((await list()).documents).toHaveLength(2);
  });

  it('leaves out what is too large or too many, and says how many', async () => {
    const many = Object.fromEntries(Array.from({ length: 205 }, (_, index) => [`${index}.txt`, 'x']));
    const { list, call } = await connect(folderWith({ ...many, 'large.txt': 'x'.repeat(300_000) }));
    const { documents, left_out } = await list();
    expect(documents).toHaveLength(200);
    expect(left_out).toBe(6);
    const { content } = await call('list_documents');
    expect(content[0]).toMatchObject({ text: expect.stringContaining('6 more are too large or too many.') });
  });

  it('reads pages as text, without scripts and styles, in time whatever is in them', async () => {
    const page = `<head><title>A &amp; B</title></head><style>p { color: red }</style><script>steal()</script><!-- hidden -->
      <h1>Head</h1><p>one&nbsp;&#8364; <b>two</b> &bogus; &#x110000;</p><ul><li>three<li>four</ul>`;
    const hostile = {
      'a.html': '<'.repeat(200_000),
      'b.html': '<h1 '.repeat(60_000),
      'c.html': '<!--'.repeat(60_000),
    };
    const { read, list } = await connect(folderWith({ ...hostile, 'page.html': page }));
    const begun = performance.now();
    expect((await list()).documents).toHaveLength(4);
    expect(performance.now() - begun).toBeLessThan(10_000);
    const { structuredContent } = await read('page.html');
    expect(structuredContent).toMatchObject({
      title: 'A & B',
      text: '# Head\n\none € two &bogus; &#x110000;\n\nthree\nfour',
    });
  });

  it('says that a folder can’t be read', async () => {
    const { call } = await connect('/nowhere/at/all');
    expect(await call('list_documents')).toMatchObject({
      isError: true,
      content: [{ text: 'The folder of documents can’t be read. Nothing was read.' }],
    });
  });
});
