import { createListeners } from '../lib/listeners.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import type { DocumentRecord, GivenDocument, WaitingDocument } from '../storage/documents/index.ts';
import { findKind } from './folder.ts';
import { countEmptyPages, createLearnContent, type LearnPorts } from './learn-content.ts';
import { type DocumentLimits, findRoom, NO_LIMITS } from './limits.ts';
import { digest, type Gift, type Giving, givenId, hashContent, type LearnedListener } from './ports.ts';

/** How often it's looked for what was given and isn't learned, in milliseconds; what is given here is learned at once. */
const LOOK_MS = 60_000;
/** The same where another process may be given what is learned here. */
const SHARED_LOOK_MS = 2_000;

/** How often what others left is removed who were interrupted, in milliseconds. */
const TIDY_MS = 600_000;

export interface GivenPorts extends LearnPorts {
  /** How much may be given. @default no limits */
  readonly limits?: DocumentLimits;
}

/** Learns what was given: kept first, so that nothing is lost, and learned one after the other. */
export function createGivenLearner(ports: GivenPorts) {
  const { index, log, turn } = ports;
  const learn = createLearnContent(ports);
  const stopping = new AbortController();
  const { signal } = stopping;
  const listeners = new Set<LearnedListener>();
  const progress = createListeners<[GivenDocument, number, number]>();

  async function learnOne(given: GivenDocument, isTold: boolean): Promise<void> {
    const kind = findKind(given.name);
    const content = await index.content(given.id, given.version);
    // It was forgotten meanwhile, or replaced.
    if (kind === null || content === null) return;
    const known = await index.get(given.id);
    const changedAt = given.changedAt && Math.floor(given.changedAt);
    const document =
      known?.version === given.version
        ? known
        : await learn({ ...given, kind, changedAt }, Buffer.from(content), {
            signal,
            isGiven: true,
            onProgress: (done, all) => progress.notify(given, done, all),
          });
    if (document === null || isTold) return;
    for (const listener of listeners) await listener(document);
    await index.told(given.id, given.version);
  }

  async function look(): Promise<void> {
    const next = createTurns();
    while ((await turn?.isOurs()) !== false) {
      const taken = next(await index.waiting());
      if (taken === null || signal.aborted) return;
      const { given, isTold } = taken;
      await learnOne(given, isTold).catch((err: unknown) => {
        if (!signal.aborted) log.error({ err, document: given.id }, 'a document can’t be learned now');
      });
    }
  }

  const tidying = createTidier(ports);
  const looking = createPeriodic({
    name: 'learn documents that were given',
    everyMs: turn ? SHARED_LOOK_MS : LOOK_MS,
    run: look,
    log,
  });
  return {
    async start(): Promise<void> {
      await Promise.all([tidying.start(), looking.start()]);
    },
    look: () => looking.runNow(),
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([tidying.stop(), looking.stop()]);
    },
    /** What those do with it who give. */
    gifts: {
      ...createGiving(ports, () => void looking.runNow()),
      onLearned: (listener: LearnedListener) => void listeners.add(listener),
      onProgress: progress.add,
    },
  };
}

/** Takes what is given, as far as there's room, and takes it away again. `onKept` hears when there's something to learn. */
function createGiving({ index, clock, limits = NO_LIMITS }: GivenPorts, onKept: () => void) {
  async function forgetById(id: string, hash?: string): Promise<boolean> {
    const isThere = (await index.get(id)) !== null || (await index.given(id)) !== null;
    await index.remove(id, hash);
    return isThere;
  }

  return {
    async give({ key, content, at, ...about }: Gift): Promise<Giving> {
      const kind = findKind(about.name);
      if (kind === null) return 'unknown_kind';
      const id = givenId(about.origin, key);
      const described = { ...about, id, kind, hash: hashContent(content) };
      const version = digest(described);
      const before = await index.given(id);
      // What was learned may be of a version before the last.
      if (before?.version === version && (await index.get(id))?.version === version) return 'same';
      const room = await findRoom({ index, limits }, { owner: about.owner, id });
      if (content.length > room.bytes) return room.limit;
      const changedAt = at ?? Math.max(clock(), before?.changedAt ?? 0);
      if (!(await index.keep({ ...described, version, changedAt }, content))) return 'older';
      onKept();
      return 'kept';
    },
    findRoom: (owner: string, id: string) => findRoom({ index, limits }, { owner, id }),
    forget: (origin: string, key: string) => forgetById(givenId(origin, key)),
    forgetById,
    async countEmptyPages(document: DocumentRecord): Promise<number> {
      return countEmptyPages(document, await index.read(document.id, 1, Math.max(document.passages, 1)));
    },
  };
}

/** Removes what others left who were interrupted. */
function createTidier({ index, turn, log }: LearnPorts): Periodic {
  const run = async () => {
    if ((await turn?.isOurs()) !== false) await index.tidy();
  };
  return createPeriodic({ name: 'tidy documents', everyMs: TIDY_MS, run, log });
}

/**
 * Which of those that wait is next, each once, of each owner in turn: however much one of them brings, what another brings comes
 * next. Null where none is left.
 */
function createTurns() {
  const tried = new Set<string>();
  const turns = new Map<string | null, number>();
  const name = ({ given }: WaitingDocument) => `${given.id} ${given.version}`;
  const turn = ({ given }: WaitingDocument) => turns.get(given.owner) ?? 0;
  return (waiting: readonly WaitingDocument[]): WaitingDocument | null => {
    const left = waiting.filter((one) => !tried.has(name(one)));
    const [next = null] = left.toSorted((one, other) => turn(one) - turn(other));
    if (next === null) return null;
    tried.add(name(next));
    turns.set(next.given.owner, tried.size);
    return next;
  };
}
