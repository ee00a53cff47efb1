import type { DocumentRecord, Knowledge } from '../../knowledge/index.ts';
import { type FullLimit, hashContent } from '../../knowledge/ports.ts';
import { backoff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BroughtFiles } from './brought-files.ts';
import { type Brought, isFound, isOpen } from './collections.ts';
import type { Fetched, FetchProblem } from './fetch-file.ts';
import { identify, ORIGIN } from './identify.ts';

/** How long what was fetched may take to be given, in milliseconds, before it's fetched again: the process may have ended. */
const GIVING_MS = 5 * 60_000;
/** How often a file is fetched that Slack doesn't give, and the pauses between, in milliseconds. */
const MOST_ATTEMPTS = 6;
const PAUSES = { firstMs: 5_000, longestMs: 5 * 60_000 };

export interface TakePorts {
  readonly files: BroughtFiles;
  readonly clock: Clock;
  readonly open: () => Promise<Pick<Knowledge, 'findRoom' | 'forgetById' | 'get' | 'give'>>;
  /** Fetches what was brought, unless it's known to have more bytes than this. Never rejects. */
  readonly fetch: (source: Brought['source'], maxBytes: number, signal: AbortSignal) => Promise<Fetched>;
}

/** Fetches a file that was brought, and gives it to those who learn; once more after whatever interrupted that. */
export async function takeFile(ports: TakePorts, file: Brought, signal: AbortSignal): Promise<void> {
  const { files, clock } = ports;
  const knowledge = await ports.open();
  const room = await knowledge.findRoom(file.requester.id, file.documentId);
  if (room.bytes < 1) return refuse(ports, file, room.limit);
  const fetched = await ports.fetch(file.source, room.bytes, signal);
  if (signal.aborted) return;
  if (!fetched.ok) return refuse(ports, file, fetched.problem === 'no_room' ? room.limit : fetched.problem);
  const { name, link, content } = fetched;
  const hash = hashContent(content);
  const what = { ...identify(file, name), hash };
  const known = await knowledge.get(what.documentId);
  const isReadable = known !== null && known.problem === null;
  const isSame = isReadable && known.hash === hash;
  if (isSame && file.state === 'waiting') {
    const { pages, passages } = known;
    await files.change(file, (it) => ({ ...it, ...what, state: 'known', pages, passages }));
    return;
  }
  const isNewVersion = file.isNewVersion || (isReadable && !isSame);
  // From here on another attempt can't tell whether it has been given, and gives it again.
  const dueAt = clock() + GIVING_MS;
  const isWanted = await files.change(file, (it) =>
    isOpen(it) ? { ...it, ...what, isNewVersion, state: 'giving', dueAt } : null,
  );
  if (!isWanted) return;
  const gift = { origin: ORIGIN, key: what.key, name, owner: file.requester.id, link, content };
  const giving = await knowledge.give({ ...gift, readers: [file.reader] });
  if (giving === 'unknown_kind') return refuse(ports, file, 'kind');
  if (giving === 'same' && known !== null) return noteLearned(files, known);
  if (giving !== 'same' && giving !== 'kept') return refuse(ports, file, giving);
  const now = await files.change(file, (it) => (it.state === 'forgotten' ? it : toLearning(it)));
  // It was forgotten while it was given, or whoever brought it was.
  const isForgotten = now === null ? await files.isGone(file) : now.state === 'forgotten';
  if (isForgotten) return void (await knowledge.forgetById(what.documentId));
  for (const other of await files.findBy('byDocument', what.documentId)) {
    if (other.hash !== hash)
      await files.change(other, (it) => (isFound(it) ? { ...it, state: 'replaced' } : null));
  }
}

function toLearning(file: Brought): Brought | null {
  return file.state === 'giving' ? { ...file, state: 'learning' } : null;
}

/** Puts on record what became of a document, at all files that it is of. */
export async function noteLearned(
  files: BroughtFiles,
  { id, hash, problem, pages, passages }: DocumentRecord,
): Promise<void> {
  const state = problem === null ? 'ready' : 'unread';
  for (const file of await files.findBy('byDocument', id)) {
    if (file.hash === hash)
      await files.change(file, (it) => (isOpen(it) ? { ...it, state, problem, pages, passages } : null));
  }
}

async function refuse(
  { files, clock }: Pick<TakePorts, 'files' | 'clock'>,
  file: Brought,
  problem: FetchProblem | FullLimit,
): Promise<void> {
  const attempts = file.attempts + 1;
  const isOver = problem !== 'passing' || attempts >= MOST_ATTEMPTS;
  const dueAt = clock() + backoff(attempts, PAUSES);
  await files.change(file, (it) => {
    if (!isOpen(it)) return null;
    return isOver ? { ...it, state: 'unread', problem } : { ...it, attempts, dueAt };
  });
}
