import type { Hono } from 'hono';
import { z } from 'zod';
import { type GivenDocuments, givenId, type KnownDocument, MOST_BYTES } from '../../knowledge/ports.ts';
import { type KeyPorts, requireKey } from '../api/auth.ts';
import { readQuery } from '../api/body.ts';
import { limitBody } from '../api/limit-body.ts';
import type { Caller } from '../caller.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { RECORDS } from '../texts.ts';
import { toActor } from '../threads/ids.ts';
import { readUpload } from './read-upload.ts';
import { documentListQuerySchema, toDocumentAnswer, toReaders } from './schemas.ts';
import { DOCUMENTS } from './texts.ts';

/** What a form has besides its file, in bytes, at most. */
const FORM_BYTES = 64 * 1024;
/** How many documents are received at a time: each is in memory until it's kept. */
const MOST_AT_ONCE = 4;
/** How many documents of one key may wait to be learned. */
const MOST_WAITING = 100;

export interface DocumentPorts {
  readonly documents: {
    /** Why none can be given here: none are learned (`none`), or they wouldn't be there later (`not_kept`). Null: they can. */
    readonly unusable: 'none' | 'not_kept' | null;
    open(): Promise<GivenDocuments>;
  };
}

/** `/documents`: gives documents to be learned, lists them with what became of them, and deletes them. */
export function documentRoutes(app: Hono<HttpEnv>, ports: KeyPorts & DocumentPorts): void {
  const mayUse = requireKey(ports, 'documents');
  const open = async (): Promise<GivenDocuments> => {
    const { unusable } = ports.documents;
    if (unusable === null) return ports.documents.open();
    const userMessage = unusable === 'none' ? DOCUMENTS.none : DOCUMENTS.notKept;
    throw new HttpError({ status: 409, code: 'no_documents', userMessage });
  };
  let receiving = 0;

  app.post('/documents', mayUse, limitBody(MOST_BYTES + FORM_BYTES), async (c) => {
    const knowledge = await open();
    const caller = c.get('caller');
    const origin = toOrigin(caller);
    const waiting = (await knowledge.known(origin)).filter((it) => isWaitingHere(it, origin)).length;
    if (waiting >= MOST_WAITING) throw tooMany('too_many_wait', DOCUMENTS.tooManyWait(MOST_WAITING));
    if (receiving >= MOST_AT_ONCE) throw tooMany('too_many_at_once', DOCUMENTS.tooManyAtOnce);
    receiving += 1;
    try {
      const { name, key = name, readers, link = null, content } = await readUpload(c);
      const owner = toActor(caller).id;
      const gift = { origin, key, name, owner, readers: [...toReaders(readers, owner)], link, content };
      const giving = await knowledge.give({ ...gift, at: null });
      if (giving === 'unknown_kind')
        throw new HttpError({ status: 422, code: 'unknown_kind', userMessage: DOCUMENTS.unknownKind });
      if (giving !== 'same' && giving !== 'kept' && giving !== 'older')
        throw new HttpError({ status: 409, code: 'too_many_documents', userMessage: DOCUMENTS.full[giving] });
      const kept = await find(knowledge, origin, givenId(origin, key));
      return c.json(toDocumentAnswer(kept, origin), kept.state === 'waiting' ? 202 : 200);
    } finally {
      receiving -= 1;
    }
  });

  app.get('/documents', mayUse, async (c) => {
    const { limit, cursor, state } = readQuery(c, documentListQuerySchema);
    const last = cursor === undefined ? null : readCursor(cursor);
    const origin = toOrigin(c.get('caller'));
    const left = (await (await open()).known(origin)).filter(
      (it) => (state === undefined || it.state === state) && (last === null || isAfter(it, last)),
    );
    const shown = left.slice(0, limit);
    const next_cursor = left.length > limit ? writeCursor(shown.at(-1)) : null;
    return c.json({ documents: shown.map((it) => toDocumentAnswer(it, origin)), next_cursor });
  });

  app.get('/documents/:id', mayUse, async (c) => {
    const origin = toOrigin(c.get('caller'));
    return c.json(toDocumentAnswer(await find(await open(), origin, c.req.param('id')), origin));
  });

  app.delete('/documents/:id', mayUse, async (c) => {
    const knowledge = await open();
    const origin = toOrigin(c.get('caller'));
    const document = await find(knowledge, origin, c.req.param('id'));
    if (document.origin !== origin)
      throw new HttpError({ status: 403, code: 'not_yours', userMessage: DOCUMENTS.notYours });
    await knowledge.forgetById(document.id);
    return c.body(null, 204);
  });
}

/** Each key has its own documents. */
function toOrigin({ keyName }: Caller): string {
  return `api:${keyName}`;
}

function isWaitingHere(document: KnownDocument, origin: string): boolean {
  return document.origin === origin && document.state === 'waiting';
}

/** One that this key may know of; to all others, there is none. */
async function find(knowledge: GivenDocuments, origin: string, id: string): Promise<KnownDocument> {
  const found = (await knowledge.known(origin)).find((document) => document.id === id);
  if (!found) throw new HttpError({ status: 404, code: 'not_found', userMessage: DOCUMENTS.unknown });
  return found;
}

function tooMany(code: string, userMessage: string): HttpError {
  return new HttpError({ status: 429, code, userMessage });
}

/** The last document of a page. */
const cursorSchema = z.tuple([z.string(), z.string()]);

function isAfter({ name, id }: KnownDocument, [lastName, lastId]: z.infer<typeof cursorSchema>): boolean {
  return name === lastName ? id > lastId : name > lastName;
}

function writeCursor(last: KnownDocument | undefined): string {
  return Buffer.from(JSON.stringify([last?.name, last?.id])).toString('base64url');
}

function readCursor(cursor: string): z.infer<typeof cursorSchema> {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new HttpError({ status: 400, code: 'invalid_query', userMessage: RECORDS.invalidQuery });
  }
}
