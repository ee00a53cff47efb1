import { z } from 'zod';
import { keepReadable, withoutSchema } from '../storage/scan.ts';
import type { Page } from '../storage/store.ts';
import { type CallRecord, callStateSchema } from './call/record.ts';
import type { GatePorts } from './ports.ts';
import { calls } from './store/collections.ts';

/** Which calls to list; all that is null doesn't matter. */
export interface CallSearch {
  readonly threadId: string | null;
  readonly requesterId: string | null;
  /** The conversation of a program. */
  readonly session: string | null;
  /** Only calls that people decided, or that expired. */
  readonly isJudged: boolean;
  /** When they were proposed, in milliseconds since the epoch: from then on, and before then. */
  readonly from: number | null;
  readonly before: number | null;
}

/** Everything that is on record. */
export const EVERY_CALL: CallSearch = {
  threadId: null,
  requesterId: null,
  session: null,
  isJudged: false,
  from: null,
  before: null,
};

const namedSchema = z.object({ id: z.string(), name: z.string() });

/** What calls are searched and listed by: to read a record whole takes several times as long, and most of them fit nothing. */
const outlineSchema = z.object({
  threadId: z.string(),
  callId: z.string(),
  proposedAt: z.number(),
  state: callStateSchema,
  tool: z.object({ server: z.string(), name: z.string(), title: z.string() }),
  requester: namedSchema,
  program: namedSchema.extend({ session: z.string() }).optional(),
  requestId: z.string().nullable(),
  ordinal: z.number().optional(),
  arguments: z.unknown(),
  decision: z.object({ actor: namedSchema }).nullable(),
  votes: z.array(z.object({ actor: namedSchema })).optional(),
  outcome: z.object({ status: z.string(), stoppedBy: namedSchema.optional() }).nullable(),
});
export type CallOutline = z.infer<typeof outlineSchema>;

/** Records that can't be read are left out. */
export interface CallPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

interface PageOfSearch {
  readonly limit: number;
  /** `next` of an earlier page of the same search. */
  readonly cursor: string | null;
  readonly fits: (call: CallOutline) => boolean;
}

/** A page of calls whole. See {@link outlineCalls}. */
export async function searchCalls(
  ports: GatePorts,
  search: CallSearch,
  { limit, cursor, fits }: PageOfSearch,
): Promise<CallPage<CallRecord>> {
  const page = await readPage(ports, search, limit, cursor);
  const fitting = page.items.filter(({ value }) => {
    const outline = outlineSchema.safeParse(value);
    // What can't be read is told of below.
    return !outline.success || isFitting(search, fits)(outline.data);
  });
  return { items: keepReadable(ports, calls, fitting).map(({ value }) => value), next: page.next };
}

/** A page of calls in outline, newest first, without those that don't fit. Looks at `limit` calls. */
export async function outlineCalls(
  ports: GatePorts,
  search: CallSearch,
  { limit, cursor, fits }: PageOfSearch,
): Promise<CallPage<CallOutline>> {
  const page = await readPage(ports, search, limit, cursor);
  const outlined = keepReadable(ports, { name: calls.name, schema: outlineSchema }, page.items);
  return { items: outlined.map(({ value }) => value).filter(isFitting(search, fits)), next: page.next };
}

/** An index has one of these alone. */
function isFitting({ requesterId, session }: CallSearch, fits: PageOfSearch['fits']): PageOfSearch['fits'] {
  return (call) =>
    (requesterId === null || call.requester.id === requesterId) &&
    (session === null || call.program?.session === session) &&
    fits(call);
}

function readPage(
  { store }: GatePorts,
  search: CallSearch,
  limit: number,
  cursor: string | null,
): Promise<Page<unknown>> {
  const [index, prefix] = whereToSearch(search);
  const { from, before } = search;
  const range = {
    prefix,
    ...(from !== null && { from: [...prefix, from] }),
    ...(before !== null && { before: [...prefix, before] }),
    descending: true,
    ...(cursor !== null && { cursor }),
  };
  return store.query(withoutSchema(calls), index, range, limit);
}

/** The index with the fewest calls that don't fit, and what its keys begin with. */
function whereToSearch(search: CallSearch): [index: string, prefix: readonly string[]] {
  const { threadId, session, requesterId, isJudged } = search;
  if (threadId !== null) return ['byThread', [threadId]];
  if (session !== null) return ['bySession', [session]];
  if (requesterId !== null) return ['byRequester', [requesterId]];
  return [isJudged ? 'judged' : 'byTime', []];
}
