import type { Mailbox } from '../../inbox/ports.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ReadUnrecorded } from '../../tools/index.ts';

/** Reads one mail as the owner of its mailbox, to be shown to people; null where it can't be read now. Never rejects. */
export function createReadMail(read: ReadUnrecorded) {
  return async (
    { owner, server }: Pick<Mailbox, 'owner' | 'server'>,
    messageId: string,
  ): Promise<JsonObject | null> => {
    const answer = await read({
      server,
      tool: 'get_message',
      arguments: { message_id: messageId },
      owner,
    });
    return 'structured' in answer ? answer.structured : null;
  };
}
