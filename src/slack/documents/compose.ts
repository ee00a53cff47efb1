import type { WebClient } from '@slack/web-api';
import type { PeopleDirectory } from '../../gate/types.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import type { Store } from '../../storage/store.ts';
import type { Audience } from '../people/audience.ts';
import type { Directory } from '../people/directory.ts';
import { BroughtFiles } from './brought-files.ts';
import { createDeletedFiles } from './deleted-files.ts';
import { createDocumentLists } from './document-lists.ts';
import { createDropMessages } from './drop-message.ts';
import { createFetchFile } from './fetch-file.ts';
import { createFetchPage } from './fetch-page.ts';
import { Intake } from './intake.ts';
import { MOST_BYTES } from './slack-file.ts';
import type { TakePorts } from './take-file.ts';

type FetchPorts = Parameters<typeof createFetchFile>[0];

interface DocumentPorts
  extends Omit<ConstructorParameters<typeof Intake>[0], 'files' | 'fetch' | 'isEditable'>,
    Omit<FetchPorts, 'client'> {
  readonly client: WebClient;
  readonly store: Store;
  readonly directory: Directory;
  readonly people: Pick<PeopleDirectory, 'standing'>;
  readonly audience: Pick<Audience, 'listChannels'>;
  /** The free share of a method's rate limit, from 0 to 1. */
  readonly room: (method: string) => number;
  /** Shows what waits to be shown in a channel. */
  readonly wake: (channel: string) => void;
}

/** What takes, lists and forgets the documents that people bring in Slack. */
export function createDocuments(ports: DocumentPorts) {
  const files = new BroughtFiles(ports);
  const slackFiles = createFetchFile(ports);
  const fetchPage = createFetchPage(
    createGuardedFetch({ reach: 'public', maxBytes: MOST_BYTES, isWhole: true }),
  );
  const fetch: TakePorts['fetch'] = (source, maxBytes, signal) =>
    source.kind === 'file'
      ? slackFiles.fetch(source.fileId, maxBytes, signal)
      : fetchPage(source.url, signal);
  const intake = new Intake({ ...ports, files, fetch, isEditable: slackFiles.isEditable });
  const deletedFiles = createDeletedFiles({
    ...ports,
    isDeleted: slackFiles.isDeleted,
    forget: (fileId) => intake.fileDeleted(fileId),
  });
  return {
    intake,
    lists: createDocumentLists({ ...ports, files }),
    /** What the message of a drop says. */
    drop: createDropMessages({ ...ports, files }),
    /** Goes on with what earlier processes left, and with what was deleted meanwhile. */
    start(): void {
      void intake.start();
      // Where nothing is learned, nothing is forgotten either.
      if (ports.documents.unusable === null) void deletedFiles.start();
    },
    async stop(): Promise<void> {
      await Promise.all([intake.stop(), deletedFiles.stop()]);
    },
  };
}
