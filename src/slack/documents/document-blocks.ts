import { extname } from 'node:path';
import type { KnownBlock } from '@slack/types';
import { clip } from '../../presentation/text/clip.ts';
import { context, type Message, plain } from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { DOCUMENT_LIST, readerWords } from '../texts/documents.ts';
import type { DocumentList, ListedDocument } from './document-lists.ts';
import { forgetButton, showName } from './drop-message.ts';

/** Documents in a Home: their names, what is in them, and who can ask for them; one's own can be forgotten. */
export function documentBlocks(listed: DocumentList): KnownBlock[] {
  if (listed.documents.length === 0) return [];
  return [
    { type: 'header', block_id: 'header:documents', text: plain(DOCUMENT_LIST.title, 150) },
    ...lines(listed, DOCUMENT_LIST.moreInHome),
  ];
}

/** The answer to `/countersign documents`. */
export function documentList(listed: DocumentList): Message<KnownBlock> {
  const { documents, more, here } = listed;
  const elsewhere = documents.length + more - here;
  const headline = DOCUMENT_LIST.count(here, elsewhere);
  return listMessage(headline, [
    { type: 'section', block_id: 'documents', text: plain(headline) },
    ...lines(listed, DOCUMENT_LIST.more),
  ]);
}

/** Asks which of these, or whether this one, is to be forgotten. */
export function forgetChoice(documents: readonly ListedDocument[]): Message<KnownBlock> {
  const headline = DOCUMENT_LIST.forgetWhich(documents.length);
  return listMessage(headline, [
    { type: 'section', block_id: 'documents', text: plain(headline) },
    ...documents.map((document) => documentSection(document, { mayForget: true })),
  ]);
}

function lines(
  { documents, more, isPart }: DocumentList,
  moreWords: (count: number) => string,
): KnownBlock[] {
  return [
    ...documents.map((document) => documentSection(document, { mayForget: document.isOwn })),
    ...(more === 0 ? [] : [context('documents:more', moreWords(more))]),
    ...(isPart ? [context('documents:part', DOCUMENT_LIST.part)] : []),
  ];
}

function documentSection(
  document: ListedDocument,
  { mayForget }: { readonly mayForget: boolean },
): KnownBlock {
  const { id, name, pages, passages, problem, reader, isHere } = document;
  const end = extname(name).slice(1).toLowerCase();
  const what = problem === null ? DOCUMENT_LIST.holds(pages, passages, end) : DOCUMENT_LIST.unread;
  const who = isHere ? readerWords(reader) : DOCUMENT_LIST.notHere(reader);
  const words = plain(clip(`${showName(name)}\n${what} · ${who}`, 600));
  const section = { type: 'section', block_id: `document:${id}`, text: words } as const;
  return mayForget ? { ...section, accessory: forgetButton({ name, documentId: id }) } : section;
}
