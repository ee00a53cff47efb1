import { expect, it } from 'vitest';
import { createDocumentReaders } from '../../../../src/app/inbox/read-document.ts';
import type { ParseFile, ParseResult } from '../../../../src/knowledge/ports.ts';
import { makePdf } from '../../../helpers/made-documents.ts';

/** Readers of documents that are read once they are told to be, by their contents. */
function open() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const parse: ParseFile = (content) => {
    const { promise, resolve } = Promise.withResolvers<ParseResult>();
    begun.push(String(content));
    ends.set(String(content), () => resolve({ ok: false, problem: 'broken' }));
    return promise;
  };
  const createReader = createDocumentReaders(parse);
  const [ana, bob, cleo] = [createReader(), createReader(), createReader()];
  const end = (name: string) => ends.get(name)?.();
  return { begun, end, ana, bob, cleo };
}

it('one person’s slow documents don’t hold up another’s, and each person’s are read one at a time', async () => {
  const { begun, end, ana, bob } = open();
  const first = ana('.pdf', Buffer.from('ana 1'));
  const second = ana('.pdf', Buffer.from('ana 2'));
  const other = bob('.pdf', Buffer.from('bob'));
  await expect.poll(() => begun).toEqual(['ana 1', 'bob']);
  end('bob');
  await other;
  expect(begun).toEqual(['ana 1', 'bob']);
  end('ana 1');
  await first;
  await expect.poll(() => begun).toEqual(['ana 1', 'bob', 'ana 2']);
  end('ana 2');
  await second;
});

it('no more than two are read at a time, whosever they are', async () => {
  const { begun, end, ana, bob, cleo } = open();
  const all = [ana('.pdf', Buffer.from('ana')), bob('.pdf', Buffer.from('bob'))];
  all.push(cleo('.pdf', Buffer.from('cleo')));
  await expect.poll(() => begun).toEqual(['ana', 'bob']);
  end('bob');
  await expect.poll(() => begun).toEqual(['ana', 'bob', 'cleo']);
  end('ana');
  end('cleo');
  await Promise.all(all);
});

it('two are read at once, each in a process of its own', async () => {
  const createReader = createDocumentReaders();
  const read = await Promise.all(
    ['roses', 'boats'].map((what) => createReader()('.pdf', makePdf([[`About ${what}.`]]))),
  );
  expect(read).toMatchObject([
    { text: expect.stringContaining('About roses') },
    { text: expect.stringContaining('About boats') },
  ]);
});
