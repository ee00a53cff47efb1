import type { Mailbox } from '../../inbox/ports.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ReadUnattended } from '../../tools/ports.ts';

/** Reads one mail as the owner of its mailbox, to be shown to people; null where it can't be read now. Never rejects. */
export function createReadMail(read: ReadUnattended) {
  return async (
    { owner, server }: Pick<Mailbox, 'owner' | 'server'>,
    messageId: string,
  ): Promise<JsonObject | null> => {
    const asked = { server, name: 'get_message', arguments: { message_id: messageId }, person: owner };
    const answer = await read(asked).catch(() => null);
    return answer !== null && 'structured' in answer ? answer.structured : null;
  };
}
