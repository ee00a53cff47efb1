import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { Actor, CallRecord } from '../../gate/types.ts';

/** Whose a result is, as kept with its message; absent for those that everybody in the thread may have. */
const ownedSchema = z.object({ owner: z.object({ id: z.string(), name: z.string() }) });

/** The owner of a result: its requester, if it came over their own sign-in or was too long for the conversation. */
export function resultOwner({ outcome, requester }: CallRecord): Actor | null {
  if (outcome === null || outcome.status === 'in_doubt') return null;
  // Files are no secret of the thread: they're posted in it.
  const isLong = outcome.content.some((piece) => piece.type === 'text' && piece.kept !== undefined);
  return outcome.ownAccount === true || isLong ? requester : null;
}

/** The mark of a message whose content is somebody's; nothing for one that is for all. */
export function ownerMark(owner: Actor | null): Partial<z.infer<typeof ownedSchema>> {
  return owner === null ? {} : { owner: { id: owner.id, name: owner.name } };
}

export function readOwner(message: BaseMessage): Actor | null {
  return ownedSchema.safeParse(message.additional_kwargs).data?.owner ?? null;
}
