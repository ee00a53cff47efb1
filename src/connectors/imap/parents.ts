import type { ImapFlow, SearchObject } from 'imapflow';
import type { MailboxService } from '../../mcp/ports.ts';
import { FOLDERS_FIRST, findSent, listSearched, openFolder, search } from './folders.ts';
import { findRoot, type Headers, readHeaders } from './headers.ts';
import { toThreadId } from './ids.ts';
import { arrival, type Mail } from './message.ts';

/** How far back it's looked, one mail after another that only names the one before it. */
const MOST_STEPS = 3;
/** Most mails of a folder that are looked at in a step, those that came first. */
const MOST_COPIES = 100;
const HEADERS_ASKED = ['Message-ID', 'References', 'In-Reply-To'];

/**
 * The mails, with the references of those that they answer, where they name those alone: without, an answer of a program that
 * sends no `References` would begin a conversation of its own. What is there is as somebody who answers is to write it.
 * Leaves any folder open.
 * @see https://www.rfc-editor.org/rfc/rfc5322#section-3.6.4
 */
export async function withParents(
  client: ImapFlow,
  service: MailboxService,
  mails: readonly Mail[],
): Promise<Mail[]> {
  const known = new Map<string, Headers>();
  const asked = new Set<string>();
  let wanted = namedAlone(mails.map(({ headers }) => headers));
  for (let step = 0; step < MOST_STEPS && wanted.length > 0; step += 1) {
    for (const id of wanted) asked.add(id);
    for (const one of await findNamed(client, service, wanted)) {
      if (one.mailId !== null && !known.has(one.mailId)) known.set(one.mailId, one);
    }
    wanted = namedAlone([...known.values()]).filter((id) => !asked.has(id));
  }
  return mails.map((mail) => {
    const headers = { ...mail.headers, references: listBefore(mail.headers, known) };
    return { ...mail, headers, threadId: toThreadId(findRoot(headers), mail.id) };
  });
}

function namedAlone(all: readonly Headers[]): string[] {
  return [...new Set(all.flatMap(({ answersAlone }) => answersAlone ?? []))];
}

/** What it answers, oldest first. */
function listBefore({ references, answersAlone }: Headers, known: ReadonlyMap<string, Headers>): string[] {
  const before: string[] = [];
  let id = answersAlone;
  for (let step = 0; step < MOST_STEPS && id !== null; step += 1) {
    const parent = known.get(id);
    if (parent === undefined || before.includes(id)) break;
    before.unshift(...(parent.answersAlone === null ? parent.references : []), id);
    id = parent.answersAlone;
  }
  return [...new Set([...(id === null ? [] : [id]), ...before, ...references])];
}

/**
 * The headers of the mails with these Message-IDs: what the owner sent, and then what came first, as anybody can send another one
 * with a Message-ID that they know.
 */
async function findNamed(
  client: ImapFlow,
  service: MailboxService,
  ids: readonly string[],
): Promise<Headers[]> {
  const sent = await findSent(client);
  const named: { readonly headers: Headers; readonly isOwn: boolean; readonly arrivedAt: Date }[] = [];
  for (const folder of (await listSearched(client, service)).slice(0, FOLDERS_FIRST)) {
    await openFolder(client, folder);
    // A server finds the words anywhere in the header (RFC 3501, 6.4.4).
    const wanted: SearchObject[] = ids.map((id) => ({ header: { 'Message-ID': id } }));
    const uids = (await search(client, { or: wanted, deleted: false })).slice(0, MOST_COPIES);
    if (uids.length === 0) continue;
    const asked = { uid: true, internalDate: true, headers: HEADERS_ASKED };
    for (const one of await client.fetchAll(uids.join(','), asked, { uid: true })) {
      const headers = await readHeaders(one.headers ?? Buffer.alloc(0));
      if (headers.mailId === null || !ids.includes(headers.mailId)) continue;
      named.push({ headers, isOwn: folder === sent, arrivedAt: arrival(one) });
    }
  }
  const sorted = named.sort(
    (a, b) => Number(b.isOwn) - Number(a.isOwn) || Number(a.arrivedAt) - Number(b.arrivedAt),
  );
  return sorted.map(({ headers }) => headers);
}
