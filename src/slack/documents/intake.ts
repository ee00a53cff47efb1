import { type Actor, RefusalError } from '../../gate/types.ts';
import type { Knowledge } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import { parseSlackPlace, readSlackTeam, readSlackUser, slackCallThreadId } from '../ids.ts';
import { FORGET } from '../texts/documents.ts';
import { type BroughtFiles, MOST_NAMED } from './brought-files.ts';
import { type Brought, isFound, isGiven, isOpen } from './collections.ts';
import { ORIGIN, toBrought } from './identify.ts';
import { readerHere } from './readers.ts';
import { isUnknownYet, nameFile, problemWith, type SlackFile } from './slack-file.ts';
import { noteLearned, type TakePorts, takeFile } from './take-file.ts';
import { beginForgetting, forgetFile } from './withdraw.ts';

/** How often what is left is looked at, in milliseconds. */
const LOOK_MS = 15_000;
/** The shortest time between two tellings of how far a file is, in milliseconds. */
const PACE_MS = 3_000;
/** How many files of one message are read. Slack takes 10 at once. */
const MOST_FILES = 20;
/** For how many people files are fetched at a time, one for each: none waits for another's slow page, and each is in memory. */
const MOST_AT_ONCE = 4;

/** The documents that are learned, as Slack needs them. */
export interface DocumentSide {
  /** Why nothing can be given: nothing is learned (`none`), or not for all processes (`not_kept`). Null: it can. */
  readonly unusable: 'none' | 'not_kept' | null;
  readonly open: () => Promise<
    Pick<Knowledge, 'countEmptyPages' | 'find' | 'findRoom' | 'forgetById' | 'give' | 'listFor'>
  >;
  /** What is already there, without beginning to learn; null: nothing. */
  readonly opened: () => Promise<Pick<Knowledge, 'listFor'>> | null;
  /** Calls `use` once they are opened, before anything is learned. */
  whenOpened(use: (knowledge: Pick<Knowledge, 'onLearned' | 'onProgress' | 'waitFor'>) => void): void;
}

interface IntakePorts {
  readonly files: BroughtFiles;
  readonly clock: Clock;
  readonly documents: DocumentSide;
  readonly fetch: TakePorts['fetch'];
  /** Whether the content of a file can be changed in Slack. Rejects where Slack can't say. */
  readonly isEditable: (fileId: string) => Promise<boolean>;
  readonly isAdmin: (actorId: string) => Promise<boolean>;
  readonly log: { error(details: object, message: string): void };
}

/** What files are told to be where nothing can be given. */
const UNUSABLE = { none: 'no_documents', not_kept: 'not_shared' } as const;

/** What somebody dropped into a conversation. */
interface Drop {
  readonly channel: string;
  readonly ts: string;
  readonly threadId: string;
  readonly requester: Actor;
  readonly files: readonly SlackFile[];
  /** Whether something is asked or said with them. */
  readonly hasWords: boolean;
}

/**
 * Takes the files that people drop into conversations: on record first, so that none is lost, then fetched, each person's one
 * after the other, given to those who learn, and told what became of them, by one message for each drop.
 */
export class Intake {
  readonly #ports: IntakePorts;
  readonly #looking: Periodic;
  readonly #stopping = new AbortController();
  readonly #toldAt = new Map<string, number>();
  /** What is being taken now, by who brought it. */
  readonly #taking = new Map<string, Promise<void>>();

  constructor(ports: IntakePorts) {
    this.#ports = ports;
    const { documents, log } = ports;
    const run = () => this.#look();
    this.#looking = createPeriodic({ name: 'dropped-files', everyMs: LOOK_MS, run, log });
    documents.whenOpened((knowledge) => {
      knowledge.waitFor((threadId, signal) => ports.files.arrived(threadId, signal));
      knowledge.onLearned(async (document) => {
        if (document.origin !== ORIGIN) return;
        await noteLearned({ ...ports, open: documents.open }, document);
        this.#toldAt.delete(document.id);
      });
      knowledge.onProgress(({ id, origin, hash }, done, all) => {
        if (origin === ORIGIN && done < all) this.#tell({ id, hash }, { done, all });
      });
    });
  }

  /** Takes the files of a message, once; resolves with them when they're on record. */
  async take({ channel, ts, threadId, requester, files, hasWords }: Drop): Promise<readonly Brought[]> {
    const place = parseSlackPlace(threadId);
    if (place === null) return [];
    // What is said is answered; where there's nothing but files, nobody else says that they aren't learned.
    if (this.#ports.documents.unusable === 'none' && hasWords) return [];
    const reader = readerHere(requester, { ...place, channel });
    const about = { dropId: toDropId({ channel, ts }), threadId, requester, reader };
    return this.#bring(
      files.slice(0, MOST_NAMED).map((file, index) => ({
        ...about,
        // Slack's own time, whichever process hears of it first.
        at: Number(ts) * 1_000 + index / 1_000,
        source: { kind: 'file', fileId: file.id },
        name: isUnknownYet(file) ? '' : nameFile(file),
        problem: problemWith(file) ?? (index >= MOST_FILES ? 'too_many' : null),
      })),
    );
  }

  /** Learns these for a reader; what becomes of them is told to whoever wants it directly. */
  async learn(
    sources: readonly Pick<Brought, 'source' | 'name'>[],
    { id, requester, reader }: Pick<Brought, 'requester' | 'reader'> & { readonly id: string },
  ): Promise<void> {
    const team = readSlackTeam(requester.id) ?? '';
    const threadId = slackCallThreadId({ team, channel: readSlackUser(requester.id) ?? '' }, `learn-${id}`);
    const about = { dropId: `learn:${id}`, threadId, requester, reader, problem: null };
    const now = this.#ports.clock();
    await this.#bring(
      sources.slice(0, MOST_FILES).map((it, index) => ({ ...about, ...it, at: now + index / 1_000 })),
    );
  }

  async #bring(
    brought: readonly Omit<Parameters<typeof toBrought>[0], 'place' | 'dueAt'>[],
  ): Promise<readonly Brought[]> {
    const { files, clock, documents } = this.#ports;
    const dueAt = clock();
    const records = brought.map((it, place) => {
      const problem = it.problem ?? (documents.unusable === null ? null : UNUSABLE[documents.unusable]);
      return toBrought({ ...it, problem, place, dueAt });
    });
    const isNew = await files.add(records);
    if (isNew && records.some(isOpen)) void this.#looking.runNow();
    return records;
  }

  /**
   * Learns a file anew that was changed in Slack, wherever it was dropped. Slack says so "when any property of a file is changed"
   * (docs.slack.dev/reference/events/file_change), as its title, and only what is `editable` can have another content
   * (docs.slack.dev/reference/objects/file-object). An upload stays as it is: by the name with which it came, it's told from others.
   */
  async fileChanged(fileId: string): Promise<void> {
    const { files, clock, isEditable } = this.#ports;
    const known = (await files.findBy('byFile', fileId)).filter(mayChange);
    if (known.length === 0 || !(await isEditable(fileId))) return;
    const now = clock();
    await files.changeAll(known, (it) =>
      mayChange(it) ? { ...it, state: 'waiting', at: now, dueAt: now, attempts: 0, progress: null } : null,
    );
    void this.#looking.runNow();
  }

  /** Forgets a file that is no longer in Slack, wherever it was dropped. */
  async fileDeleted(fileId: string): Promise<void> {
    await this.#forgetAll(await this.#ports.files.findBy('byFile', fileId));
  }

  /** Forgets what came with a message that is no longer in Slack. */
  async messageDeleted(channel: string, ts: string): Promise<void> {
    await this.#forgetAll(await this.#ports.files.ofDrop(toDropId({ channel, ts })));
  }

  /**
   * Deletes a document with all that was learned of it; false where that can't be done now, and will be as soon as it can.
   * @throws RefusalError unless it's somebody's own, or they are an admin
   */
  async forget(documentId: string, { id }: Actor): Promise<boolean> {
    const { documents, isAdmin, files } = this.#ports;
    const own = await files.findBy('byDocument', documentId);
    const { learned } = await (await documents.open()).find(documentId);
    const owner = own[0]?.requester.id ?? learned?.owner ?? null;
    if (owner === null || (owner !== id && !(await isAdmin(id))))
      throw new RefusalError('not_allowed', FORGET.notThere);
    // Others of the same name that were never there stay as they are told.
    const there = own.filter(({ state, hash }) => state !== 'unread' || hash !== null);
    const ends = await this.#forgetAll(there);
    if (ends.length === 0) await (await documents.open()).forgetById(documentId);
    return ends.every((isDone) => isDone);
  }

  /** Puts on record that these are to be forgotten, and does it; for each, whether that is done. */
  async #forgetAll(gone: readonly Brought[]): Promise<readonly boolean[]> {
    const ends: boolean[] = [];
    for (const file of await beginForgetting(this.#ports, gone)) ends.push(await this.#forget(file));
    void this.#looking.runNow();
    return ends;
  }

  /** False where it can't be done now: it's looked at again. Never rejects. */
  async #forget(file: Brought): Promise<boolean> {
    const { documents, log, ...ports } = this.#ports;
    try {
      await forgetFile({ ...ports, open: documents.open }, file);
      return true;
    } catch (err) {
      log.error({ err, document: file.documentId }, 'failed to delete a document; it’s tried again');
      return false;
    }
  }

  /** Goes on with what earlier processes left. */
  start(): Promise<void> {
    return this.#looking.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking.stop();
    await Promise.all(this.#taking.values());
  }

  /** Begins to take what is due of those people of whom nothing is being taken. */
  async #look(): Promise<void> {
    for await (const { value } of this.#ports.files.due()) {
      if (this.#stopping.signal.aborted) return;
      const whose = value.requester.id;
      if (value.state === 'forgetting') await this.#forget(value);
      else if (!this.#taking.has(whose) && this.#taking.size < MOST_AT_ONCE)
        this.#taking.set(whose, this.#takeAllOf(whose));
    }
  }

  /** Takes what is due of one person, and looks again where all of it went well. Never rejects. */
  async #takeAllOf(whose: string): Promise<void> {
    const { files, log } = this.#ports;
    const { signal } = this.#stopping;
    let isWell = true;
    const failed = (err: unknown, file?: string) => {
      isWell = false;
      log.error({ err, file }, 'failed to take a file');
    };
    try {
      for await (const { id, value } of files.due()) {
        if (signal.aborted) return;
        if (value.requester.id !== whose || value.state === 'forgetting') continue;
        await this.#take(value).catch((err: unknown) => failed(err, id));
      }
    } catch (err) {
      failed(err);
    } finally {
      this.#taking.delete(whose);
      if (isWell && !signal.aborted) void this.#looking.runNow();
    }
  }

  #take(file: Brought): Promise<void> {
    const { documents, ...ports } = this.#ports;
    return takeFile({ ...ports, open: documents.open }, file, this.#stopping.signal);
  }

  /** Says how far a document is, now and then. */
  #tell(
    { id, hash }: { readonly id: string; readonly hash: string },
    progress: NonNullable<Brought['progress']>,
  ): void {
    const { files, clock, log } = this.#ports;
    const now = clock();
    if (now - (this.#toldAt.get(id) ?? Number.NEGATIVE_INFINITY) < PACE_MS) return;
    this.#toldAt.set(id, now);
    const telling = async () => {
      for (const file of await files.findBy('byDocument', id)) {
        if (file.hash === hash) await files.change(file, (it) => (isOpen(it) ? { ...it, progress } : null));
      }
    };
    telling().catch((err: unknown) => log.error({ err, document: id }, 'failed to tell how far a file is'));
  }
}

/** Whether another content of a file would be learned: one that is still to be fetched is so as it is then. */
function mayChange(file: Brought): boolean {
  return file.hash !== null && (isFound(file) || isGiven(file) || file.state === 'unread');
}

function toDropId({ channel, ts }: Pick<Drop, 'channel' | 'ts'>): string {
  return `${channel}:${ts}`;
}
