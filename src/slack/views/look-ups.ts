import { z } from 'zod';
import type { Gate } from '../../gate/index.ts';
import {
  type Actor,
  type CallRecord,
  idToLookUp,
  LOOK_UPS,
  lookUpId,
  resultOwner,
  retriedId,
} from '../../gate/types.ts';
import type { Subject } from '../../presentation/id-names.ts';
import { lookedUpSubject } from '../../presentation/look-up.ts';
import type { CallView } from '../cards/call-view.ts';
import { isDirect } from '../people/approvers.ts';
import { slackIdentity } from '../people/identity.ts';

/** What was read about the call before people were asked; or with whose account, where that's why it isn't shown. */
export async function readLookUps(
  gate: Gate,
  call: CallRecord,
  reader: Actor | null,
): Promise<{
  readonly subject?: Subject | null;
  readonly withheld?: Actor | null;
  readonly agenda?: CallRecord | null;
  readonly calendars?: CallView['calendars'];
}> {
  const { card } = call.tool;
  if (!LOOK_UPS.some((kind) => card?.[kind])) return {};
  // Until something is read about these arguments, what was read before counts, if it's about them.
  const ids = [idToLookUp(call), call.callId, retriedId(call.callId)];
  const reads = await Promise.all(
    LOOK_UPS.map((kind) =>
      gate.calls.inThread(call.threadId, [...new Set(ids.map((id) => lookUpId(id, kind)))]),
    ),
  );
  // What is read about other arguments than these doesn't count, whatever its id.
  const [read = null, ...more] = reads.map(
    (all) => all.find((one) => one?.state === 'succeeded') ?? all.find((one) => one !== null) ?? null,
  );
  const [agenda = null, listed = null] = more;
  const calendars = listed !== null && isShown(listed, reader) ? readCalendars(call, listed) : [];
  const subject = lookedUpSubject(call, read);
  if (read === null || subject === null || isShown(read, reader)) return { subject, agenda, calendars };
  return { withheld: resultOwner(read), agenda, calendars };
}

const calendarsSchema = z.object({
  calendars: z.array(
    z
      .object({ id: z.string(), title: z.string().optional(), summary: z.string().optional() })
      .transform(({ id, title, summary }) => ({ value: id, title: title ?? summary ?? id })),
  ),
});

/** The calendars that there are, as the call's own server listed them; none where that isn't known. */
function readCalendars({ tool }: CallRecord, { tool: reader, outcome }: CallRecord): CallView['calendars'] {
  const { calendars } = tool.card ?? {};
  const isIts = reader.server === calendars?.server && reader.name === calendars.name;
  if (!isIts || outcome?.status !== 'succeeded') return [];
  return calendarsSchema.safeParse(outcome.structured).data?.calendars ?? [];
}

/** Whether only its requester sees it; a card, for which `reader` is null, by where it stands. */
export function isAlone({ threadId, requester }: CallRecord, reader: Actor | null): boolean {
  return reader === null ? isDirect(threadId) : slackIdentity.samePerson(reader, requester);
}

/**
 * Whether a result may be shown: a channel's cards are for all, and what is read with somebody's own account isn't. They are shown
 * it in forms and lists that nobody else sees, and on the cards in their direct messages. `reader`: null for a card.
 */
export function isShown(read: CallRecord, reader: Actor | null): boolean {
  const owner = resultOwner(read);
  if (owner === null) return true;
  return reader === null ? isDirect(read.threadId) : slackIdentity.samePerson(reader, owner);
}
