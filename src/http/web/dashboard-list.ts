import { createHash } from 'node:crypto';
import { type CallOutline, EVERY_CALL, type Gate } from '../../gate/index.ts';
import { type Actor, type CallRecord, latestFirst, placeDigest, recordKey } from '../../gate/types.ts';
import type { Whereabouts } from '../../programs/ports.ts';
import { collect } from '../records/collect.ts';
import type { Listed, ShownCall, Together } from './pages/dashboard.ts';
import type { SignInPorts } from './pages/sign-in.ts';
import { needsOtherSignIn } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { CALLS_PATH } from './session/cookies.ts';
import { formToken, type WebSession } from './session/sessions.ts';
import { mustSignIn, type Visitor } from './session/visitor.ts';
import { DASHBOARD } from './texts.ts';
import { describeTogether, TOGETHER, TOGETHER_PATH } from './together.ts';

interface ListPorts {
  readonly gate: { readonly calls: Pick<Gate['calls'], 'inbox' | 'search'> };
  readonly whereabouts: Whereabouts;
}

/** How many calls are shown whole; the next come up as these are decided. */
const SHOWN = 20;
/** How many of what somebody asked for last is listed. */
const ASKED = 10;

/** Reads what the dashboard shows to one person. */
export function createDashboardList(
  { gate, whereabouts }: ListPorts,
  web: SignInPorts & Pick<WebPorts, 'sheets' | 'isLinkEnough'>,
) {
  async function readCalls(actor: Actor) {
    const own = { ...EVERY_CALL, requesterId: actor.id };
    // Reads and the like, which nobody is asked about, would drown the others.
    const isAskedAbout = ({ requestId }: CallOutline) => requestId !== null;
    const [inbox, { items }] = await Promise.all([
      gate.calls.inbox(actor.id, SHOWN + 1),
      collect({ limit: ASKED }, (limit, cursor) => gate.calls.search(own, limit, cursor, isAskedAbout)),
    ]);
    const listed = latestFirst(items);
    // A card is in Slack a moment after its call is on record, and its link comes up then.
    const urls = await Promise.all(
      inbox.calls.slice(0, SHOWN).map(async (call) => (await whereabouts(call, actor)).url),
    );
    const version = computeVersion([...inbox.calls, ...listed], urls);
    return { waiting: inbox.calls, asked: listed, isMore: inbox.isMore, urls, version };
  }

  async function read({ actor, session }: Visitor): Promise<Listed> {
    const { waiting, asked, isMore, urls, version } = await readCalls(actor);
    const first = waiting.slice(0, SHOWN);
    const [sheets, own] = await Promise.all([web.sheets(first, actor), web.sheets(asked, actor)]);
    const shown = sheets.map((sheet, index): ShownCall => {
      const { call } = sheet;
      const key = recordKey(call);
      const url = urls[index] ?? null;
      // A form of a server is answered in Slack.
      const isDecided = call.state === 'pending';
      return {
        key,
        sheet,
        url,
        version: computeVersion([call], [url]),
        action: isDecided ? `${web.publicUrl()}/decide/${key}` : null,
        token: formToken(session, key, call.digest),
        signIn: mustSignIn(web, call, session) ? needsOtherSignIn(web, session, key) : null,
      };
    });
    return {
      waiting: shown,
      together: findTogether(web, shown, session),
      count: waiting.length > SHOWN || isMore ? DASHBOARD.many(SHOWN) : String(first.length),
      isMore: waiting.length > SHOWN || isMore,
      asked: own.map((sheet) => ({
        sheet,
        page: `${web.publicUrl()}${CALLS_PATH}/${recordKey(sheet.call)}`,
      })),
      version,
      who: actor.id,
    };
  }

  return {
    read,
    /** Differs whenever this person would see something else. */
    async version(actor: Actor): Promise<string> {
      return (await readCalls(actor)).version;
    },
  };
}

/** The calls of one request, such as the steps of a plan, of which each takes one click: by their request. */
function findTogether(
  { publicUrl }: Pick<WebPorts, 'publicUrl'>,
  shown: readonly ShownCall[],
  session: WebSession,
): Listed['together'] {
  const oneClick = shown.filter(
    ({ action, signIn, sheet }) =>
      action !== null &&
      signIn === null &&
      sheet.question === null &&
      sheet.confirm === null &&
      sheet.typed.length === 0,
  );
  const groups = [...Map.groupBy(oneClick, ({ sheet }) => sheet.call.requestId)];
  return new Map(
    groups.flatMap(([id, of]): [string | null, Together][] => {
      if (of.length < 2) return [];
      const calls = describeTogether(of.map(({ sheet }) => sheet));
      const token = formToken(session, TOGETHER, calls);
      const acts = of.map(({ sheet }) => sheet.summary);
      const isReasonRequired = of.some(({ sheet }) => sheet.call.verdict.rejectionReason === 'required');
      const action = `${publicUrl()}${TOGETHER_PATH}`;
      return [[id, { action, token, calls, acts, isReasonRequired }]];
    }),
  );
}

/** Differs where people would see something else of these calls, whose cards are at these addresses. */
export function computeVersion(calls: readonly CallRecord[], urls: readonly (string | null)[]): string {
  const seen = calls.map(({ digest, state, votes, decision, timing, endedAt, program, ...call }) => [
    recordKey(call),
    digest,
    placeDigest(call),
    state,
    votes?.length ?? 0,
    decision?.at,
    timing?.decideBy,
    endedAt,
    program?.leftAt,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([seen, urls]))
    .digest('base64url');
}
