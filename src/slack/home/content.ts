import type { Gate } from '../../gate/index.ts';
import type { CallRecord } from '../../gate/types.ts';
import { latestFirst, recordKey, waitsForPerson } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HeldTools, ServerStatus } from '../../mcp/ports.ts';
import type { PersonalConnections } from '../../oauth/ports.ts';
import type { ExamplesFor } from '../../presentation/example-prompts.ts';
import type { ConnectedPrograms } from '../../programs/ports.ts';
import type { Store } from '../../storage/store.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { CallView } from '../cards/call-view.ts';
import type { DocumentLists } from '../documents/document-lists.ts';
import { readSlackUser } from '../ids.ts';
import { findCards } from '../outbox/card-places.ts';
import { hasCard } from '../outbox/enqueue.ts';
import { isForOthers } from '../people/approvers.ts';
import type { ThreadUrl } from '../permalinks.ts';
import type { Views } from '../views/call-views.ts';
import type { PermissionsView } from '../views/types.ts';
import type { ReadUse } from '../views/use-views.ts';
import type { MetricsView } from './approval-metrics.ts';
import { type AskedKind, askedKindSchema, isOfKind } from './asked-kinds.ts';
import { homeFilters } from './collections.ts';
import { applyFilter, toFilterView } from './filter.ts';
import type { ReadInbox } from './inbox.ts';
import type { ReadMemory } from './memory.ts';
import { type HomeList, type HomePage, toPage } from './paging.ts';
import type { ReadSchedules } from './schedules.ts';
import { homeView } from './view.ts';

/**
 * The most calls read for each of a Home's two lists; beyond that it says there is more. Of what somebody asked for, further
 * back where only some are wanted.
 */
const WAITING_READ = 1_000;
const ASKED_READ = { all: 200, ofKind: 1_000 };

const DOCUMENTS_LISTED = 10;

/** The current page of each list in a Home, from 0, and what became of the requests that are listed; null: anything. */
export type HomePages = Readonly<Record<HomeList, number>> & { readonly kind: AskedKind | null };

export interface HomeContentPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly views: Views;
  readonly servers: (personId?: string) => readonly ServerStatus[];
  readonly connections: Pick<PersonalConnections, 'list'>;
  /** Null where nobody can let programs in. */
  readonly programs: Pick<ConnectedPrograms, 'list'> | null;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  readonly examples: ExamplesFor;
  readonly botName: () => string;
  /** An actor's name; their id where it isn't known. */
  readonly nameOf: (actorId: string) => Promise<string>;
  /** Somebody's grants and delegations. */
  readonly permissions: (actorId: string) => Promise<PermissionsView>;
  /** What somebody has used of the day's limits. */
  readonly use: ReadUse;
  /** Tools that wait for a review; null for somebody who isn't an admin. */
  readonly reviews: (actorId: string) => Promise<readonly HeldTools[] | null>;
  /** The approval metrics; null for somebody who isn't an admin. */
  readonly health: (actorId: string) => Promise<MetricsView | null>;
  /** So many of the documents that somebody can ask for; null where they can't be listed now. */
  readonly documents: DocumentLists['forHome'];
  /** What is remembered of somebody. */
  readonly memory: ReadMemory;
  /** What somebody has run at times. */
  readonly schedules: ReadSchedules;
  /** Somebody's mailboxes that are watched. */
  readonly inbox: ReadInbox;
  /** The links to threads. */
  readonly threadUrl: ThreadUrl;
}

/** Reads what somebody's Home shows, as these pages of its lists. */
export async function readHome(ports: HomeContentPorts, actorId: string, pages: HomePages) {
  const { kind } = pages;
  const askedRead = kind === null ? ASKED_READ.all : ASKED_READ.ofKind;
  const [waiting, asked, tools, health, permissions, wanted, connections, reviews, use, programs, kept] =
    await Promise.all([
      ports.gate.calls.inbox(actorId, WAITING_READ + 1),
      ports.gate.calls.requestedBy(actorId, askedRead + 1),
      ports.tools(),
      ports.health(actorId),
      ports.permissions(actorId),
      ports.store.get(homeFilters, actorId),
      ports.connections.list({ id: actorId, name: actorId }),
      ports.reviews(actorId),
      ports.use(actorId, null),
      ports.programs?.list(readSlackUser(actorId) ?? '') ?? [],
      readKept(ports, actorId),
    ]);
  const chosen = wanted?.value.filter ?? 'all';
  const all = waiting.calls.slice(0, WAITING_READ).filter(waitsForPerson);
  const now = ports.clock();
  const waits = applyFilter(all, chosen, now);
  const name = chosen.startsWith('requester:') ? await ports.nameOf(chosen.slice('requester:'.length)) : '';
  const isMore = waiting.isMore || waiting.calls.length > WAITING_READ;
  const own = asked.slice(0, askedRead).filter(isListed);
  // What waits for them is in the list above, or would be with another filter.
  const above = new Set(all.map(recordKey));
  const carded = latestFirst(own.filter((call) => !above.has(recordKey(call)) && !waitsForRequester(call)));
  const isMoreAsked = asked.length > askedRead;
  const shown = toPage('waiting', waits, pages.waiting, { isMore });
  const ofKind = carded.filter((call) => kind === null || isOfKind(call, kind));
  const askedPage = toPage('asked', ofKind, pages.asked, { isMore: isMoreAsked });
  // Names are looked up only for the page that is shown.
  const inViews = async ({ items, ...page }: HomePage<CallRecord>): Promise<HomePage<CallView>> => ({
    ...page,
    items: await ports.views.calls(items, { id: actorId, name: actorId }),
  });
  return homeView({
    botName: ports.botName(),
    waiting: await inViews(shown),
    cards: await findCards(ports.store, [...shown.items, ...askedPage.items.filter(isOfProgram)]),
    filter: toFilterView(all, chosen, now, () => name),
    asked: await inViews(askedPage),
    hasAsked: own.length > 0,
    askedFilter: {
      chosen: kind,
      // What wasn't read may be of any.
      kinds: askedKindSchema.options.filter(
        (one) => isMoreAsked || carded.some((call) => isOfKind(call, one)),
      ),
    },
    servers: ports.servers(actorId),
    tools,
    connections: { connections, timeZone: permissions.timeZone },
    programs: { programs, timeZone: permissions.timeZone },
    examples: ports.examples(tools),
    permissions,
    ...kept,
    use,
    reviews,
    health,
    threadUrl: ports.threadUrl,
  });
}

/** Reads what somebody keeps and has done here. */
async function readKept(ports: HomeContentPorts, actorId: string) {
  const [documents, memory, schedules, inbox] = await Promise.all([
    ports.documents(actorId, DOCUMENTS_LISTED),
    ports.memory(actorId),
    ports.schedules(actorId),
    ports.inbox(actorId),
  ]);
  return { ...(documents && { documents }), memory, schedules, inbox };
}

/** Whether no thread in Slack is its own but what its card begins. */
function isOfProgram({ program }: CallRecord): boolean {
  return program !== undefined;
}

/** Whether a call waits for whoever asked for it, even if so much does that it isn't read. */
function waitsForRequester(call: CallRecord): boolean {
  const isForApprovers = call.state === 'pending' && (isForOthers(call) || call.handOvers !== undefined);
  return waitsForPerson(call) && !isForApprovers;
}

function isListed(call: CallRecord): boolean {
  return hasCard(call) && call.kind === 'tool';
}
