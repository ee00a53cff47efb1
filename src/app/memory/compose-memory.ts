import type { FileConfig } from '../../config/file.ts';
import { Memory } from '../../memory/index.ts';
import { type Limits, type MailboxItem, originalId } from '../../runs/index.ts';
import type { Account } from '../../tools/ports.ts';
import type { Extract } from '../compose-models.ts';
import { createAskBeside } from './ask-beside.ts';

type MemoryPorts = Omit<ConstructorParameters<typeof Memory>[0], 'isEnabled'> & {
  readonly file: Pick<FileConfig, 'memory'>;
  readonly limits: Pick<Limits, 'assertTokens' | 'spend'>;
  readonly extract: Extract;
};

/** Composes what is remembered of people, with what has it learn as runs begin, and what tells it to the graphs. */
export function createMemorySide({ file, limits, extract, ...ports }: MemoryPorts) {
  const memory = new Memory({ ...ports, isEnabled: file.memory.enabled });

  const askFor = createAskBeside({ limits, extract });

  return {
    memory,
    /** Of people alone, and of what they wrote themselves. */
    onBegun(item: MailboxItem, account: Account): void {
      const { threadId, itemId, receivedAt: at, text, words = text, isTask, prompt } = item;
      if (account.kind !== 'person' || isTask || prompt) return;
      const said = { threadId, messageId: originalId(itemId), at, text: words };
      memory.learn({ ...said, personId: account.owner, place: account.channel }, askFor(account));
    },
    recall: async ({ kind, owner, channel }: Account) =>
      kind === 'person' ? memory.recall(owner, channel) : ('not_here' as const),
  };
}
