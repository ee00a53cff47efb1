import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { type CallRecord, recordKey } from '../../gate/types.ts';
import type { DecisionSheet } from '../../presentation/decision-sheet.ts';
import type { Whereabouts } from '../../programs/ports.ts';
import type { OpenStream } from '../api/open-streams.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { streamUntilOver } from '../event-stream.ts';
import { dashboardBody, type Listed, SCRIPT, type ShownCall, waitingPart } from './pages/dashboard.ts';
import { fragment, messagePage, page } from './pages/layout.ts';
import { signInLink } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH } from './session/cookies.ts';
import { formToken } from './session/sessions.ts';
import { findVisitor, type Visitor } from './session/visitor.ts';
import { DASHBOARD, SIGN_IN_PAGE } from './texts.ts';

interface DashboardPorts extends Pick<ApiPorts, 'gate' | 'log'> {
  readonly mcp: { readonly whereabouts: Whereabouts };
}

interface DashboardOptions {
  readonly openStream: OpenStream;
  readonly heartbeatMs: number;
  readonly stopping: AbortSignal;
}

/** How many calls are shown whole; the next come up as these are decided. */
const SHOWN = 20;
/** How many of what somebody asked for last is listed. */
const ASKED = 10;
/** How often it's looked for what other processes did, and whether the sign-in is over, in milliseconds. */
const LOOK_MS = 5_000;
/** How long what happens is gathered before a page is told, in milliseconds. */
const GATHER_MS = 150;

/**
 * `GET /dashboard`: the calls that wait for whoever has signed in, each as on its card, to be decided there; what they asked
 * for last; and `/dashboard/events`, which tells an open page when that has changed.
 */
export function dashboardRoutes(
  app: Hono<HttpEnv>,
  { gate, log, mcp }: DashboardPorts,
  web: WebPorts,
  { openStream, heartbeatMs, stopping }: DashboardOptions,
): void {
  app.get(DASHBOARD_PATH, async (c) => {
    const visitor = await findVisitor(c, web);
    if (!visitor) {
      const link = signInLink(web, { dashboard: '' });
      return messagePage(DASHBOARD.signInTitle, [DASHBOARD.signInWhy, link], 401);
    }
    const shown = await read(visitor);
    return page({
      title: DASHBOARD.title(shown.count),
      aside: SIGN_IN_PAGE.signedIn(visitor.actor.name),
      body: dashboardBody(shown),
      script: SCRIPT,
    });
  });

  app.get(`${DASHBOARD_PATH}/waiting`, async (c) => {
    const visitor = await findVisitor(c, web);
    return visitor ? fragment(waitingPart(await read(visitor))) : c.body(null, 401);
  });

  app.get(`${DASHBOARD_PATH}/events`, async (c) => {
    const visitor = await findVisitor(c, web);
    if (!visitor) return c.body(null, 401);
    return follow(c, visitor, openStream(`web:${visitor.actor.id}`));
  });

  /** Tells the page whenever it no longer shows what there is, and when its sign-in is over. */
  function follow(c: HttpContext, { actor }: Visitor, onEnd: () => void): Response {
    let told = c.req.query('version') ?? '';
    return streamUntilOver(
      c,
      stopping,
      (stream, end) => {
        let due: NodeJS.Timeout | null = null;
        const look = async (): Promise<void> => {
          if (!(await findVisitor(c, web))) return end();
          const { waiting, asked } = await readCalls(actor.id);
          const version = versionOf([...waiting, ...asked]);
          if (version === told) return;
          told = version;
          await stream.writeSSE({ data: version });
        };
        const soon = (): void => {
          due ??= setTimeout(() => {
            due = null;
            look().catch((err: unknown) => log.warn({ err }, 'an open page was not told what has changed'));
          }, GATHER_MS);
        };
        soon();
        const stopListening = web.onChange(soon);
        const looking = setInterval(soon, LOOK_MS);
        const beating = setInterval(() => void stream.write(': alive\n\n'), heartbeatMs);
        return () => {
          stopListening();
          clearInterval(looking);
          clearInterval(beating);
          if (due) clearTimeout(due);
        };
      },
      onEnd,
    );
  }

  async function readCalls(actorId: string) {
    const [inbox, asked] = await Promise.all([
      gate.calls.inbox(actorId, SHOWN + 1),
      gate.calls.requestedBy(actorId, ASKED),
    ]);
    return { waiting: inbox.calls, asked, isMore: inbox.isMore };
  }

  async function read({ actor, session }: Visitor): Promise<Listed> {
    const { waiting, asked, isMore } = await readCalls(actor.id);
    const first = waiting.slice(0, SHOWN);
    const shown = await Promise.all(
      first.map(async (call): Promise<ShownCall | null> => {
        const [sheet, { url }] = await Promise.all([web.sheet(recordKey(call)), mcp.whereabouts(call)]);
        if (!sheet) return null;
        // What isn't decided, such as a question or a form, is answered in Slack.
        const isDecided = call.kind === 'tool' && call.state === 'pending';
        const key = recordKey(call);
        return {
          sheet,
          url,
          version: versionOf([call]),
          action: isDecided ? `${web.publicUrl()}/decide/${key}` : null,
          token: formToken(session, key, call.digest),
        };
      }),
    );
    const own = await Promise.all(asked.map((call) => web.sheet(recordKey(call))));
    return {
      waiting: shown.filter((it) => it !== null),
      count: waiting.length > SHOWN || isMore ? DASHBOARD.many(SHOWN) : String(first.length),
      isMore: waiting.length > SHOWN || isMore,
      asked: own.filter((sheet): sheet is DecisionSheet => sheet !== null),
      version: versionOf([...waiting, ...asked]),
    };
  }
}

/** Differs where people would see something else of these calls. */
function versionOf(calls: readonly CallRecord[]): string {
  const seen = calls.map(({ digest, state, votes, decision, timing, endedAt, ...call }) => [
    recordKey(call),
    digest,
    state,
    votes?.length ?? 0,
    decision?.at,
    timing?.decideBy,
    endedAt,
  ]);
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64url');
}
