import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createParseFile, PARSE_LIMITS } from '../../../../src/knowledge/parse/parse-file.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '../../../../src/knowledge/ports.ts';
import {
  makeCompoundFile,
  makeDocx,
  makePdf,
  makePptx,
  makeXlsx,
  makeZip,
  slideShape,
  wordParagraph,
  zeros,
  zipEntry,
} from '../../../helpers/made-documents.ts';
import { runningBelow } from '../../../helpers/running-below.ts';

const parse = createParseFile();
const kinds = [...new Set(Object.values(DOCUMENT_KINDS))];
const binary: readonly DocumentKind[] = ['pdf', 'docx', 'xlsx', 'pptx'];

const docx = makeDocx(wordParagraph('Text.'));
const good: Readonly<Record<string, Buffer>> = {
  pdf: makePdf([['Text.']]),
  docx,
  xlsx: makeXlsx({ Sheet: [['a', 'b']] }),
  pptx: makePptx([{ number: 1, shapes: slideShape('body', 'Text.') }]),
};

function children() {
  return runningBelow().filter(({ command }) => command.includes('knowledge/parse/child'));
}

afterEach(() => {
  if (process.platform === 'linux') expect(children()).toEqual([]);
});

afterAll(async () => {
  expect(await parse(Buffer.from('still here'), 'text')).toMatchObject({ ok: true });
});

describe('a file that is broken', () => {
  it.each(binary)('of %s is said to be so, where it’s cut off', async (kind) => {
    const content = good[kind] ?? Buffer.alloc(0);
    const cut = content.subarray(0, content.length * 0.6);
    const [whole, part] = await Promise.all([parse(content, kind), parse(cut, kind)]);
    expect(whole).toMatchObject({ ok: true });
    expect(part).toEqual({ ok: false, problem: 'broken' });
  });

  it.each(kinds)('is no %s, whatever it’s named', async (kind) => {
    const noise = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(10_000)]);
    expect(await parse(noise, kind)).toEqual({ ok: false, problem: 'broken' });
  });

  it.each([
    ['pdf', 'text'],
    ['docx', 'markdown'],
    ['xlsx', 'csv'],
    ['pptx', 'html'],
    ['docx', 'xlsx'],
    ['xlsx', 'docx'],
    ['xlsx', 'pptx'],
    ['docx', 'pdf'],
    ['pdf', 'docx'],
  ] as const)('of %s is no %s', async (real, named) => {
    expect(await parse(good[real] ?? Buffer.alloc(0), named)).toEqual({ ok: false, problem: 'broken' });
  });

  it.each(kinds)('may be an empty one of %s', async (kind) => {
    const expected = binary.includes(kind)
      ? { ok: false, problem: 'broken' }
      : { ok: true, document: { title: null, pages: null, blocks: [] } };
    expect(await parse(Buffer.alloc(0), kind)).toEqual(expected);
  });
});

describe('a file without any text', () => {
  it.each([
    ['pdf', makePdf([[], []])],
    ['pptx', makePptx([{ number: 1, shapes: slideShape('sldNum', '1') }])],
    ['xlsx', makeXlsx({ Sheet: [] })],
    ['docx', makeDocx(wordParagraph(' '))],
    ['html', Buffer.from('<!doctype html><title>App</title><div id="root"></div><script>start()</script>')],
  ] as const)('is said to have none: %s', async (kind, content) => {
    expect(await parse(content, kind)).toEqual({ ok: false, problem: 'no_text' });
  });

  it.each(['text', 'markdown', 'csv'] as const)('may be an empty one of %s', async (kind) => {
    expect(await parse(Buffer.from('\n \n'), kind)).toMatchObject({ ok: true, document: { blocks: [] } });
  });
});

describe('a file that has a password', () => {
  it.each([
    ['pdf', makePdf([['Secret.']], { isEncrypted: true })],
    ['docx', makeCompoundFile('EncryptedPackage')],
    ['xlsx', makeCompoundFile('EncryptedPackage')],
    ['pptx', makeZip({ 'ppt/presentation.xml': { ...zipEntry(Buffer.from('x')), flags: 1 } })],
  ] as const)('is said to be so: %s', async (kind, content) => {
    expect(await parse(content, kind)).toEqual({ ok: false, problem: 'encrypted' });
  });

  it('is not every file of older programs', async () => {
    expect(await parse(makeCompoundFile('WordDocument'), 'docx')).toEqual({ ok: false, problem: 'broken' });
  });
});

describe('what unpacks to too much', () => {
  const tooMuch = { ok: false, problem: 'too_much' };

  it.each(['docx', 'xlsx', 'pptx'] as const)('is not read: a gigabyte in a %s', async (kind) => {
    const bomb = makeZip({ 'word/document.xml': zeros(100) });
    expect(bomb.length).toBeLessThan(2_000_000);
    expect(await parse(bomb, kind)).toEqual(tooMuch);
  });

  it('is not read when its headers lie', async () => {
    expect(await parse(makeDocx('', { 'word/media/a.bin': { ...zeros(100), size: 10 } }), 'docx')).toEqual(
      tooMuch,
    );
    expect(
      await parse(makeDocx('', { 'a.xml': { ...zipEntry(Buffer.from('x')), size: 2 ** 31 } }), 'docx'),
    ).toEqual(tooMuch);
  });

  it('is not read in many small files', async () => {
    const entry = zipEntry(Buffer.from('x'));
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`${index}.xml`, entry]));
    expect(await parse(makeDocx('', many), 'docx')).toEqual(tooMuch);
  });

  it('is not read where it nests too deep', async () => {
    const depth = 100_000;
    const deep = makeDocx(`${'<w:smartTag>'.repeat(depth)}${'</w:smartTag>'.repeat(depth)}`);
    expect(await parse(deep, 'docx')).toEqual(tooMuch);
  });
});

describe('what nests deep', () => {
  const depth = 20_000;

  it.each([
    ['markdown', `${'>'.repeat(depth)} deep`],
    ['markdown', `${'*a '.repeat(depth)}deep`],
    ['markdown', `${'['.repeat(depth)}deep`],
    ['html', `${'<div>'.repeat(depth)}deep`],
    ['html', `${'<ul><li>'.repeat(depth)}deep`],
    ['html', `${'<table><tr><td>'.repeat(depth)}deep`],
  ] as const)('is read all the same: %s %#', async (kind, content) => {
    const result = await parse(Buffer.from(content), kind);
    expect(JSON.stringify(result)).toContain('deep');
  });
});

describe('the limits', () => {
  const longPdf = makePdf(
    Array.from({ length: 2_000 }, (_, index) => [`Page ${index + 1}`, null, 'Text of it.']),
  );

  it('a PDF of 2,000 pages is read, and says how far it is', async () => {
    const seen: number[] = [];
    const result = await parse(longPdf, 'pdf', { onProgress: (done, all) => seen.push(done, all) });
    expect(result.ok && result.document.pages).toBe(2_000);
    expect(result.ok && result.document.blocks.length).toBe(4_000);
    expect(seen).toEqual(Array.from({ length: 2_000 }, (_, index) => [index + 1, 2_000]).flat());
  });

  it('of a file’s size', async () => {
    const large = Buffer.alloc(PARSE_LIMITS.fileBytes + 1, 'a');
    expect(await parse(large, 'text')).toEqual({ ok: false, problem: 'too_large' });
  });

  it.each([
    ['pdf', makePdf([['a'], ['b'], ['c']])],
    ['pptx', makePptx([1, 2, 3].map((number) => ({ number, shapes: slideShape('body', 'a') })))],
    ['xlsx', makeXlsx({ a: [['a']], b: [['b']], c: [['c']] })],
  ] as const)('of pages: %s', async (kind, content) => {
    const problem = { ok: false, problem: 'too_many_pages' };
    expect(await createParseFile({ pages: 2 })(content, kind)).toEqual(problem);
    expect(await createParseFile({ pages: 3 })(content, kind)).toMatchObject({ ok: true });
  });

  it('of time', async () => {
    const short = createParseFile({ milliseconds: 1_000 });
    expect(await short(hugePage(), 'html')).toEqual({ ok: false, problem: 'too_slow' });
  });

  it.runIf(process.platform === 'linux')('of memory', async () => {
    const small = createParseFile({ memoryBytes: 20_000_000 });
    expect(await small(longPdf, 'pdf')).toEqual({ ok: false, problem: 'too_much' });
  });

  it('of Node’s own heap', async () => {
    const small = createParseFile({ heapBytes: 20_000_000 });
    const cells = Buffer.from('a,b,c,d\n'.repeat(500_000));
    expect(await small(cells, 'csv')).toEqual({ ok: false, problem: 'too_much' });
  });

  it('of what may be said of a file', async () => {
    const quiet = createParseFile({ outputBytes: 10_000 });
    expect(await quiet(Buffer.from('word '.repeat(10_000)), 'text')).toEqual({
      ok: false,
      problem: 'too_much',
    });
  });
});

describe('whoever no longer wants a file', () => {
  it('aborts it before it’s begun', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(parse(Buffer.from('a'), 'text', { signal })).rejects.toThrow('gone');
  });

  it('aborts it while it’s read', async () => {
    const aborter = new AbortController();
    const onProgress = () => aborter.abort(new Error('gone'));
    const pdf = makePdf(Array.from({ length: 2_000 }, () => ['Text.']));
    await expect(parse(pdf, 'pdf', { signal: aborter.signal, onProgress })).rejects.toThrow('gone');
  });
});

/** It takes a while. */
function hugePage(): Buffer {
  return Buffer.from('<p>text &amp; text'.repeat(2_000_000));
}
