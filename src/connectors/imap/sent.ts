import type { ImapFlow } from 'imapflow';
import { addressKey, type MailAddress } from '../../lib/mail/addresses.ts';
import { readPeople } from '../../lib/mail/conversation.ts';
import type { MailOwner } from '../../lib/mail/warnings.ts';
import type { MailboxService } from '../../mcp/ports.ts';
import { findSent, openFolder } from './folders.ts';
import { readHeaders } from './headers.ts';

/** How many of the last sent mails say whom the owner writes to. */
const MOST_SENT = 200;
/** For how long what they say counts, in milliseconds, before they're read again. */
const FRESH_MS = 3_600_000;

/** Gives the owner of the mailbox with whom they have written to. Leaves any folder open. */
type ReadOwner = (client: ImapFlow) => Promise<MailOwner>;

/**
 * Reads the headers of what the owner sent last, at most once an hour: from then on, reading a mail asks the server for nothing more. Without
 * a folder that the server says is for what is sent, the owner has written to nobody.
 */
export function createOwnerReader({ address, name }: Pick<MailboxService, 'address' | 'name'>): ReadOwner {
  let kept: { readonly at: number; readonly owner: MailOwner } | null = null;
  return async (client) => {
    const now = Date.now();
    if (kept !== null && now - kept.at < FRESH_MS) return kept.owner;
    const sent = await readSent(client).catch(() => null);
    // Mails are to be read, too, where what was sent isn't.
    if (sent === null) return { own: [address], names: name === null ? [] : [name], known: [] };
    const isOwn = (one: MailAddress) => addressKey(one.address) === addressKey(address);
    const known = new Map<string, MailAddress>();
    for (const one of sent.flatMap(({ to, cc }) => [...to, ...cc])) {
      const key = addressKey(one.address);
      if (!isOwn(one) && !known.has(key)) known.set(key, one);
    }
    const written = sent.flatMap(({ from }) => from.filter(isOwn)).map((one) => one.name);
    const names = [...new Set([name ?? '', ...written])].filter((one) => one !== '');
    const owner = { own: [address], names, known: [...known.values()] };
    kept = { at: now, owner };
    return owner;
  };
}

/** The people of the mails that were sent last, the last first. */
async function readSent(client: ImapFlow) {
  const folder = await findSent(client);
  if (folder === null) return [];
  const { exists } = await openFolder(client, folder);
  if (exists === 0) return [];
  const asked = { uid: true, headers: ['From', 'To', 'Cc'] };
  const found = await client.fetchAll(`${Math.max(1, exists - MOST_SENT + 1)}:*`, asked);
  const mails = found.toReversed().map(({ headers }) => readHeaders(headers ?? Buffer.alloc(0)));
  return (await Promise.all(mails)).map(readPeople);
}
