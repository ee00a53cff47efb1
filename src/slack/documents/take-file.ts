import type { DocumentRecord, Knowledge } from '../../knowledge/index.ts';
import { type FullLimit, hashContent } from '../../knowledge/ports.ts';
import { backoff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BroughtFiles } from './brought-files.ts';
import { type Brought, isFound, isKept } from './collections.ts';
import type { Fetched, FetchProblem } from './fetch-file.ts';
import { identify, ORIGIN } from './identify.ts';
import { forgetFile, letGo } from './withdraw.ts';

/** How long what was fetched may take to be given, in milliseconds, before it's fetched again: the process may have ended. */
const GIVING_MS = 5 * 60_000;
/** How often a file is fetched that Slack doesn't give, and the pauses between, in milliseconds. */
const MOST_ATTEMPTS = 6;
const PAUSES = { firstMs: 5_000, longestMs: 5 * 60_000 };
/** Problems that don't say that a file has gone. */
const STAYS: ReadonlySet<FetchProblem | FullLimit> = new Set([
  'passing',
  'own_documents',
  'own_bytes',
  'all_documents',
  'all_bytes',
]);

export interface TakePorts {
  readonly files: BroughtFiles;
  readonly clock: Clock;
  readonly open: () => Promise<
    Pick<Knowledge, 'countEmptyPages' | 'find' | 'findRoom' | 'forgetById' | 'give'>
  >;
  /** Fetches what was brought, unless it's known to have more bytes than this. Never rejects. */
  readonly fetch: (source: Brought['source'], maxBytes: number, signal: AbortSignal) => Promise<Fetched>;
}

/** Fetches a file that was brought, and gives it to those who learn; once more after whatever interrupted that. */
export async function takeFile(ports: TakePorts, file: Brought, signal: AbortSignal): Promise<void> {
  const { files, clock } = ports;
  if (await isLearned(ports, file)) return;
  const knowledge = await ports.open();
  const isDue = (it: Brought) => isToTake(it, clock());
  const room = await knowledge.findRoom(file.requester.id, file.documentId);
  if (room.bytes < 1) return refuse(ports, file, room.limit, isDue);
  const fetched = await ports.fetch(file.source, room.bytes, signal);
  if (signal.aborted) return;
  if (!fetched.ok)
    return refuse(ports, file, fetched.problem === 'no_room' ? room.limit : fetched.problem, isDue);
  const { name, link, content } = fetched;
  const hash = hashContent(content);
  // One that was taken before stays the document that it is, whatever Slack calls it by now.
  const what = { ...identify(file, file.hash === null ? name : file.name), hash };
  const { learned, given } = await knowledge.find(what.documentId);
  const known = learned?.problem === null ? learned : null;
  if (known?.hash === hash && known.version === given?.version && file.state === 'waiting') {
    const { pages, passages } = known;
    if (await noteKnown(files, file, { ...what, pages, passages })) return;
  }
  const isNewVersion = file.isNewVersion || (known !== null && known.hash !== hash);
  // From here on another attempt can't tell whether it has been given, and gives it again.
  const dueAt = clock() + GIVING_MS;
  const isOurs = (it: Brought) => it.state === 'giving' && it.dueAt === dueAt;
  const taken = await files.change(file, (it) =>
    isDue(it) ? { ...it, ...what, isNewVersion, state: 'giving', dueAt } : null,
  );
  if (!taken) return;
  const gift = { origin: ORIGIN, key: what.key, name: what.name, owner: file.requester.id, link, content };
  const giving = await knowledge.give({ ...gift, readers: [file.reader], at: taken.at });
  // What was known of it before may stay.
  const before = { ...taken, hash: file.hash };
  if (giving === 'unknown_kind') return refuse(ports, before, 'kind', isOurs);
  if (giving !== 'same' && giving !== 'kept' && giving !== 'older')
    return refuse(ports, before, giving, isOurs);
  const now = await files.change(file, (it) => {
    if (it.state === 'forgetting') return { ...it, dueAt: clock() };
    return isOurs(it) ? { ...it, state: giving === 'older' ? 'replaced' : 'learning' } : null;
  });
  // It was to be forgotten while it was given, or whoever brought it was.
  if (now?.state === 'forgetting') return forgetFile(ports, now);
  if (now === null && (await files.isGone(file))) return letGo(ports, taken);
  if (now?.state !== 'learning') return;
  await noteReplaced(files, now, (it) => it.state === 'learning' && it.at < now.at);
  if (giving === 'same') await isLearned(ports, now);
}

/** Whether it's nobody's to fetch and give. */
function isToTake({ state, dueAt }: Brought, now: number): boolean {
  return state === 'waiting' || ((state === 'giving' || state === 'learning') && dueAt <= now);
}

/** Whether a file that was given is learned, or will be; what became of it is put on record, where it isn't. */
async function isLearned(
  ports: Pick<TakePorts, 'files' | 'open' | 'clock'>,
  file: Brought,
): Promise<boolean> {
  if (file.state !== 'learning') return false;
  const { learned, given } = await (await ports.open()).find(file.documentId);
  if (given?.hash !== file.hash) return false;
  if (learned?.version === given.version) await noteLearned(ports, learned);
  return true;
}

/** Puts on record that a file has what another one has, which is found; false where there is none. */
async function noteKnown(
  files: BroughtFiles,
  file: Brought,
  what: Pick<Brought, 'name' | 'key' | 'documentId' | 'hash' | 'pages' | 'passages'>,
): Promise<boolean> {
  const isStill = (it: Brought) => isFound(it) && it.hash === what.hash;
  const other = (await files.findBy('byDocument', what.documentId)).find(isStill);
  if (!other) return false;
  const toKnown = (it: Brought) =>
    it.state === 'waiting' ? { ...it, ...what, state: 'known' as const } : null;
  return (await files.changeAll([file], toKnown, { file: other, isStill })).length > 0;
}

/** Puts on record what became of a document, at all files that it is of, and at those that it has taken the place of. */
export async function noteLearned(
  { files, clock, open }: Pick<TakePorts, 'files' | 'clock' | 'open'>,
  document: DocumentRecord,
): Promise<void> {
  const { id, hash, problem, pages, passages } = document;
  const state = problem === null ? 'ready' : 'unread';
  const emptyPages = problem === null ? await (await open()).countEmptyPages(document) : 0;
  const own = (await files.findBy('byDocument', id)).filter((it) => it.hash === hash);
  for (const file of own)
    await files.change(file, (it) => {
      // One that is to be given again may be deleted by now.
      const isOver = it.state === 'learning' || (it.state === 'giving' && it.dueAt > clock());
      return isOver && it.hash === hash ? { ...it, state, problem, pages, passages, emptyPages } : null;
    });
  const last = own.at(-1);
  const isReplaced = (it: Brought) =>
    isKept(it) || (it.state === 'learning' && last !== undefined && it.at < last.at);
  await noteReplaced(files, { documentId: id, hash }, isReplaced);
}

/** Says of other versions of a document that a newer one has taken their place. */
async function noteReplaced(
  files: BroughtFiles,
  { documentId, hash }: Pick<Brought, 'documentId' | 'hash'>,
  isReplaced: (file: Brought) => boolean,
): Promise<void> {
  for (const other of await files.findBy('byDocument', documentId)) {
    if (other.hash === hash) continue;
    await files.change(other, (it) =>
      it.hash !== hash && isReplaced(it) ? { ...it, state: 'replaced' } : null,
    );
  }
}

async function refuse(
  ports: TakePorts,
  file: Brought,
  problem: FetchProblem | FullLimit,
  isOurs: (file: Brought) => boolean,
): Promise<void> {
  const { files, clock } = ports;
  const attempts = file.attempts + 1;
  if (problem === 'passing' && attempts < MOST_ATTEMPTS) {
    const dueAt = clock() + backoff(attempts, PAUSES);
    await files.change(file, (it) => (isOurs(it) ? { ...it, attempts, dueAt } : null));
    return;
  }
  const { learned } = await (await ports.open()).find(file.documentId);
  // What is known of it stays while nobody says that it has gone.
  const isKnown = STAYS.has(problem) && learned?.hash === file.hash && learned.problem === null;
  if (!isKnown) await letGo(ports, file);
  await files.change(file, (it) => {
    if (!isOurs(it)) return null;
    return isKnown ? { ...it, hash: file.hash, state: 'ready' } : { ...it, state: 'unread', problem };
  });
}
