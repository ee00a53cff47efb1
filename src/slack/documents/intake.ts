import { type Actor, RefusalError } from '../../gate/types.ts';
import type { Knowledge } from '../../knowledge/index.ts';
import { channelReader, personReader } from '../../knowledge/ports.ts';
import type { Clock } from '../../lib/clock.ts';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import { isDirectChannel, parseSlackPlace, slackChannelId } from '../ids.ts';
import { FORGET } from '../texts/documents.ts';
import { type BroughtFiles, MOST_NAMED } from './brought-files.ts';
import { type Brought, isOpen } from './collections.ts';
import type { FetchFile } from './fetch-file.ts';
import { identify, ORIGIN } from './identify.ts';
import { isUnknownYet, nameFile, problemWith, type SlackFile } from './slack-file.ts';
import { noteLearned, takeFile } from './take-file.ts';
import { forgetDocument, withdraw } from './withdraw.ts';

/** How long after a file came it's first told that it is being read, in milliseconds: most are learned sooner. */
const MOMENT_MS = 1_500;
/** How often what is left is looked at, in milliseconds. */
const LOOK_MS = 15_000;
/** The shortest time between two tellings of how far a file is, in milliseconds. */
const PACE_MS = 3_000;
/** How many files of one message are read. Slack takes 10 at once. */
const MOST_FILES = 20;

/** The documents that are learned, as Slack needs them. */
export interface DocumentSide {
  /** Why nothing can be given: nothing is learned (`none`), or not for all processes (`not_kept`). Null: it can. */
  readonly unusable: 'none' | 'not_kept' | null;
  readonly open: () => Promise<Knowledge>;
  /** Calls `use` once they are opened, before anything is learned. */
  whenOpened(use: (knowledge: Knowledge) => void): void;
}

interface IntakePorts {
  readonly files: BroughtFiles;
  readonly clock: Clock;
  readonly documents: DocumentSide;
  readonly fetchFile: FetchFile;
  readonly isAdmin: (actorId: string) => Promise<boolean>;
  readonly log: { error(details: object, message: string): void };
}

/** What somebody dropped into a conversation. */
interface Drop {
  readonly channel: string;
  readonly ts: string;
  readonly threadId: string;
  readonly requester: Actor;
  readonly files: readonly SlackFile[];
}

/**
 * Takes the files that people drop into conversations: on record first, so that none is lost, then fetched one after the
 * other, given to those who learn, and told what became of them, by one message for each drop.
 */
export class Intake {
  readonly #ports: IntakePorts;
  readonly #looking: Periodic;
  readonly #stopping = new AbortController();
  readonly #toldAt = new Map<string, number>();

  constructor(ports: IntakePorts) {
    this.#ports = ports;
    const { files, documents, log } = ports;
    const run = () => this.#look();
    this.#looking = createPeriodic({ name: 'files dropped into Slack', everyMs: LOOK_MS, run, log });
    documents.whenOpened((knowledge) => {
      knowledge.onLearned(async (document) => {
        if (document.origin !== ORIGIN) return;
        await noteLearned(files, document);
        this.#toldAt.delete(document.id);
      });
      knowledge.onProgress(({ id, origin, hash }, done, all) => {
        if (origin === ORIGIN && done < all) this.#tell({ id, hash }, { done, all });
      });
    });
  }

  /** Takes the files of a message, once; resolves with them when they're on record. */
  async take(drop: Drop): Promise<readonly Brought[]> {
    const { files, clock, documents } = this.#ports;
    if (documents.unusable === 'none') return [];
    const records = toRecords(drop, { at: clock(), isShared: documents.unusable === null });
    const hasOpen = records.some(isOpen);
    const isNew = await files.add(records, hasOpen ? MOMENT_MS : 0);
    if (isNew && hasOpen) {
      (await documents.open()).expect(drop.threadId, files.ended(records));
      void this.#looking.runNow();
    }
    return records;
  }

  /** Forgets a file that is no longer in Slack, wherever it was dropped. */
  async fileDeleted(fileId: string): Promise<void> {
    await this.#withdraw(await this.#ports.files.list('byFile', fileId));
  }

  /** Forgets what came with a message that is no longer in Slack. */
  async messageDeleted(channel: string, ts: string): Promise<void> {
    await this.#withdraw(await this.#ports.files.ofDrop(toDropId({ channel, ts })));
  }

  /**
   * Deletes a document with all that was learned of it.
   * @throws RefusalError unless it's somebody's own, or they are an admin
   */
  async forget(documentId: string, { id }: Actor): Promise<void> {
    const { documents, isAdmin } = this.#ports;
    const known = await (await documents.open()).get(documentId);
    const [own] = await this.#ports.files.list('byDocument', documentId);
    const owner = known?.owner ?? own?.requester.id ?? null;
    if (owner === null || (owner !== id && !(await isAdmin(id))))
      throw new RefusalError('not_allowed', FORGET.notThere);
    await forgetDocument({ ...this.#ports, open: documents.open }, documentId);
  }

  async #withdraw(gone: readonly Brought[]): Promise<void> {
    if (gone.length === 0) return;
    await withdraw({ ...this.#ports, open: this.#ports.documents.open }, gone);
    void this.#looking.runNow();
  }

  /** Goes on with what earlier processes left. */
  start(): Promise<void> {
    return this.#looking.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking.stop();
  }

  async #look(): Promise<void> {
    const { files, documents, log } = this.#ports;
    const { signal } = this.#stopping;
    for await (const { id, value } of files.due()) {
      if (signal.aborted) return;
      // What was given is learned by those who have it.
      const taken = value.state === 'learning' ? documents.open() : this.#take(value);
      await taken.catch((err: unknown) => log.error({ err, file: id }, 'failed to take a file'));
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
      for (const file of await files.list('byDocument', id)) {
        if (file.hash === hash) await files.change(file, (it) => (isOpen(it) ? { ...it, progress } : null));
      }
    };
    telling().catch((err: unknown) => log.error({ err, document: id }, 'failed to tell how far a file is'));
  }
}

function toDropId({ channel, ts }: Pick<Drop, 'channel' | 'ts'>): string {
  return `${channel}:${ts}`;
}

function toRecords(
  { channel, ts, threadId, requester, files }: Drop,
  { at, isShared }: { readonly at: number; readonly isShared: boolean },
): readonly Brought[] {
  const place = parseSlackPlace(threadId);
  if (place === null) return [];
  const reader = isDirectChannel(channel)
    ? personReader(requester.id)
    : channelReader(slackChannelId({ ...place, channel }));
  return files.slice(0, MOST_NAMED).map((file, index) => {
    const problem = problemWith(file) ?? (index >= MOST_FILES ? 'too_many' : isShared ? null : 'not_shared');
    return {
      dropId: toDropId({ channel, ts }),
      place: index,
      threadId,
      requester,
      fileId: file.id,
      reader,
      ...identify({ reader, requester }, isUnknownYet(file) ? '' : nameFile(file)),
      hash: null,
      at,
      dueAt: at,
      attempts: 0,
      state: problem === null ? 'waiting' : 'unread',
      problem,
      isNewVersion: false,
      pages: null,
      passages: 0,
      progress: null,
    };
  });
}
