import type { ImapFlow, SearchObject } from 'imapflow';
import { findSent, openFolder, search } from './folders.ts';
import { HEADERS_READ, type Headers, readHeaders } from './headers.ts';
import { INBOX } from './ids.ts';

/** How far back it's looked, one mail after another that only names the one before it. */
const MOST_STEPS = 5;
/** Most mails of one Message-ID that are looked at. */
const MOST_COPIES = 20;

/**
 * The headers, with the references of the mails that they answer, where they name those alone: without, an answer of a program that
 * sends no `References` would begin a conversation of its own. What is there is as somebody who answers is to write it.
 * @see https://www.rfc-editor.org/rfc/rfc5322#section-3.6.4
 * Leaves any folder open.
 */
export async function withParents(client: ImapFlow, found: readonly Headers[]): Promise<readonly Headers[]> {
  const known = new Map<string, Headers>();
  const asked = new Set<string>();
  let wanted = namedAlone(found);
  for (let step = 0; step < MOST_STEPS && wanted.length > 0; step += 1) {
    for (const id of wanted) asked.add(id);
    // What was sent comes last, so that it counts.
    for (const one of await findNamed(client, wanted)) known.set(one.mailId ?? '', one);
    wanted = namedAlone([...known.values()]).filter((id) => !asked.has(id));
  }
  return found.map((headers) => ({ ...headers, references: listBefore(headers, known) }));
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

/** The headers of the mails with these Message-IDs among what was sent and what is in the inbox. */
async function findNamed(client: ImapFlow, ids: readonly string[]): Promise<Headers[]> {
  const sent = await findSent(client);
  const named: Headers[] = [];
  for (const folder of [INBOX, ...(sent === null ? [] : [sent])]) {
    await openFolder(client, folder);
    // A server finds the words anywhere in the header (RFC 3501, 6.4.4).
    const wanted: SearchObject[] = ids.map((id) => ({ header: { 'Message-ID': id } }));
    const uids = (await search(client, { or: wanted, deleted: false })).slice(-MOST_COPIES - ids.length);
    if (uids.length === 0) continue;
    const asked = { uid: true, headers: HEADERS_READ };
    const mails = await client.fetchAll(uids.join(','), asked, { uid: true });
    const read = mails.map(({ headers }) => readHeaders(headers ?? Buffer.alloc(0)));
    named.push(...(await Promise.all(read)).filter(({ mailId }) => mailId !== null && ids.includes(mailId)));
  }
  return named;
}
