import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { Actor } from '../../gate/types.ts';

/** Whose a result is, as kept with its message; absent for those that everybody in the thread may have. */
const ownedSchema = z.object({ owner: z.object({ id: z.string(), name: z.string() }) });

/** The mark of a message whose content is somebody's; nothing for one that is for all. */
export function ownerMark(owner: Actor | null): Partial<z.infer<typeof ownedSchema>> {
  return owner === null ? {} : { owner: { id: owner.id, name: owner.name } };
}

export function readOwner(message: BaseMessage): Actor | null {
  return ownedSchema.safeParse(message.additional_kwargs).data?.owner ?? null;
}
