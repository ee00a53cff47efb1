import { z } from 'zod';
import type { Dialect } from './strict-service.ts';

type Stands = NonNullable<Dialect['stands']>;
type Upstream = Parameters<Stands>[1];

const MAILBOX = '/gmail/v1/users/me';
/** Gmail gives fewer records than it's asked for where it likes, and several messages may be of one. */
const RECORDS_IN_A_PAGE = 4;
const MESSAGES_IN_A_RECORD = 3;

const sendSchema = z.object({ id: z.string(), message: z.looseObject({}).optional() });
const headersSchema = z.array(z.object({ name: z.string(), value: z.string() }));
const messageSchema = z.looseObject({ id: z.string(), payload: z.looseObject({ headers: headersSchema }) });
const threadSchema = z.looseObject({ messages: z.array(messageSchema) });
const rawSchema = z.object({ raw: z.string() });
const recordsSchema = z.object({
  history: z.array(
    z.object({
      id: z.string(),
      messagesAdded: z.array(z.object({ message: z.object({ id: z.string(), threadId: z.string() }) })),
    }),
  ),
  historyId: z.string(),
});

/** What Gmail does that the emulator leaves out. */
export const gmailFace: Stands = async ({ method, path, body }, upstream) => {
  const { pathname, searchParams } = new URL(path, 'http://google.test');
  if (method === 'POST' && pathname === `${MAILBOX}/drafts/send`) {
    const { id, message } = sendSchema.parse(JSON.parse(body));
    if (message) await upstream('PUT', `${MAILBOX}/drafts/${id}`, { message });
    return null;
  }
  if (method !== 'GET') return null;
  if (pathname === `${MAILBOX}/profile`) {
    const { historyId } = recordsSchema.parse(await upstream('GET', historyPath('0')));
    return { status: 200, body: { emailAddress: await addressOf(upstream), historyId } };
  }
  if (pathname === `${MAILBOX}/history`) return history(searchParams, upstream);
  if (/\/messages\/[^/]+$/.test(pathname)) {
    const found = messageSchema.safeParse(await upstream('GET', path));
    return found.success
      ? { status: 200, body: await withAllHeaders(found.data, searchParams, upstream) }
      : null;
  }
  if (/\/threads\/[^/]+$/.test(pathname)) {
    const found = threadSchema.safeParse(await upstream('GET', path));
    if (!found.success) return null;
    const messages = found.data.messages.map((one) => withAllHeaders(one, searchParams, upstream));
    return { status: 200, body: { ...found.data, messages: await Promise.all(messages) } };
  }
  return null;
};

function historyPath(after: string): string {
  return `${MAILBOX}/history?startHistoryId=${after}&historyTypes=messageAdded&maxResults=500`;
}

async function addressOf(upstream: Upstream): Promise<string> {
  const schema = z.object({ sendAs: z.array(z.object({ sendAsEmail: z.string() })) });
  const { sendAs } = schema.parse(await upstream('GET', `${MAILBOX}/settings/sendAs`));
  return sendAs[0]?.sendAsEmail ?? '';
}

/**
 * Records of history as Gmail gives them: of messages only their ids, and 404 for what is out of date.
 * @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.history/list
 */
async function history(asked: URLSearchParams, upstream: Upstream): ReturnType<Stands> {
  const after = asked.get('startHistoryId') ?? '';
  const all = recordsSchema.parse(await upstream('GET', historyPath('0')));
  const oldest = all.history[0]?.id;
  if (!/^\d+$/.test(after) || (oldest !== undefined && BigInt(after) < BigInt(oldest))) {
    return {
      status: 404,
      body: {
        error: { code: 404, message: 'Requested entity was not found.', errors: [{ reason: 'notFound' }] },
      },
    };
  }
  const label = asked.get('labelId');
  const found = recordsSchema.parse(
    await upstream('GET', `${historyPath(after)}${label === null ? '' : `&labelId=${label}`}`),
  );
  const records = grouped(found.history);
  const at = Number(asked.get('pageToken') ?? 0);
  const page = records.slice(at, at + RECORDS_IN_A_PAGE);
  const next = at + RECORDS_IN_A_PAGE;
  return {
    status: 200,
    body: {
      ...(page.length > 0 && { history: page }),
      ...(next < records.length && { nextPageToken: String(next) }),
      historyId: found.historyId,
    },
  };
}

function grouped(records: z.output<typeof recordsSchema>['history']) {
  const groups = Map.groupBy(records.entries(), ([at]) => Math.floor(at / MESSAGES_IN_A_RECORD));
  return [...groups.values()].map((group) => ({
    id: group.at(-1)?.[1].id ?? '',
    messagesAdded: group.flatMap(([, { messagesAdded }]) =>
      messagesAdded.map(({ message: { id, threadId } }) => ({ message: { id, threadId } })),
    ),
  }));
}

/** The emulator keeps only some headers. */
async function withAllHeaders(
  message: z.output<typeof messageSchema>,
  asked: URLSearchParams,
  upstream: Upstream,
): Promise<object> {
  const read = rawSchema.safeParse(await upstream('GET', `${MAILBOX}/messages/${message.id}?format=raw`));
  const [head = ''] = Buffer.from(read.data?.raw ?? '', 'base64url')
    .toString()
    .split(/\r?\n\r?\n/);
  const kept = new Set(message.payload.headers.map(({ name }) => name.toLowerCase()));
  const wanted = asked.getAll('metadataHeaders').map((name) => name.toLowerCase());
  const more = head
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => ({ name: line.split(':')[0] ?? '', value: line.replace(/^[^:]*:\s*/, '') }))
    .filter(({ name }) => !kept.has(name.toLowerCase()))
    .filter(({ name }) => asked.get('format') !== 'metadata' || wanted.includes(name.toLowerCase()));
  return { ...message, payload: { ...message.payload, headers: [...message.payload.headers, ...more] } };
}
