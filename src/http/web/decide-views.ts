import { html } from 'hono/html';
import {
  type Actor,
  approvalTally,
  type CallRecord,
  finalState,
  RefusalError,
  recordKey,
  unknownCall,
} from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { DecisionSheet } from '../../presentation/decision-sheet.ts';
import type { Whereabouts } from '../../programs/ports.ts';
import type { ApiPorts } from '../api/ports.ts';
import { errorAnswer } from '../errors.ts';
import { OUR_FAULT } from '../texts.ts';
import type { AdminPorts } from './admin/ports.ts';
import { planPart } from './calls/plan.ts';
import { computeVersion } from './dashboard-list.ts';
import { type DecideForm, decideBody, decidedBody } from './pages/decide.ts';
import { DECIDE_SCRIPT } from './pages/decide-script.ts';
import { type Html, type HtmlPart, messagePage, page } from './pages/layout.ts';
import { needsOtherSignIn, signedIn, signInWay } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH, signInPath } from './session/cookies.ts';
import { formToken } from './session/sessions.ts';
import { isAdminVisitor, mustSignIn, type Visitor } from './session/visitor.ts';
import { DASHBOARD, DECIDE_PAGE, ownDecision, PROBLEM_TITLE, SIGN_IN_PAGE } from './texts.ts';

export interface DecidePorts extends Pick<ApiPorts, 'gate' | 'log'> {
  readonly admin: Pick<AdminPorts, 'isAdmin'> | null;
  readonly mcp: { readonly whereabouts: Whereabouts };
}

/** How many of what waits are looked through for the next one to decide: a form of a server, say, is answered in Slack. */
const LOOKED_THROUGH = 10;

/** The pages of one call, as somebody who decides it sees them. */
export function createDecideViews({ gate, admin, mcp }: DecidePorts, web: WebPorts) {
  const waysOn = (visitor: Visitor, key: string, call: CallRecord | null) =>
    findWaysOn({ gate, mcp }, web, visitor, { key, call });

  /** See {@link planPart}. */
  async function readPlan(sheet: DecisionSheet, visitor: Visitor): Promise<HtmlPart> {
    if (sheet.step === null) return null;
    return planPart({ gate, web }, { ...visitor, isAdmin: await isAdminVisitor(visitor, admin) }, sheet);
  }

  /** A page that keeps itself current, unless nothing of it changes any more. */
  async function livePage(
    { call, version: shown }: LiveSheet,
    visitor: Visitor,
    {
      title,
      status = 200,
      body,
    }: { readonly title: string; readonly status?: number; readonly body: HtmlPart },
  ): Promise<Response> {
    const isOver = finalState(call) !== null && call.after === undefined;
    const version = isOver ? null : html` data-version="${shown}"`;
    return page({
      title,
      status,
      aside: signedIn(web, visitor),
      body: html`<p id="away" class="warning" role="alert" hidden>${DASHBOARD.away}</p><div${version}>${body}</div>`,
      script: DECIDE_SCRIPT,
    });
  }

  return {
    /** The call and the form that decides it; `sent`: what was sent before and decided nothing. */
    async toDecide(
      sheet: LiveSheet,
      { visitor, sent }: { visitor: Visitor; sent?: Omit<DecideForm, 'token' | 'signIn'> },
    ): Promise<Response> {
      const { typed = {}, feedback = '', problems = [], back } = sent ?? {};
      const { session } = visitor;
      const key = recordKey(sheet.call);
      const token = formToken(session, key, sheet.call.digest);
      // Rejecting it takes no more than a click in Slack does.
      const signIn = mustSignIn(web, sheet.call, session) ? needsOtherSignIn(web, session, key) : null;
      const form = { token, typed, feedback, problems, back, signIn };
      return livePage(sheet, visitor, {
        title: sheet.summary,
        status: problems.length === 0 ? 200 : 422,
        body: decideBody(sheet, form, await readPlan(sheet, visitor)),
      });
    },

    /** The call, below what its reader decided. */
    async decided(sheet: LiveSheet, title: string, visitor: Visitor): Promise<Response> {
      const { call } = sheet;
      const ways = await waysOn(visitor, recordKey(call), call);
      const body = decidedBody(sheet, { title, ways }, await readPlan(sheet, visitor));
      return livePage(sheet, visitor, { title, body });
    },

    /** What did not work, and the ways on. */
    async problem(
      error: unknown,
      { visitor, key }: { readonly visitor: Visitor | null; readonly key: string },
    ): Promise<Response> {
      const isElse = error instanceof RefusalError && error.refusal === 'not_allowed' && visitor !== null;
      const other = `${web.publicUrl()}${signInPath({ for: key })}`;
      const over =
        error instanceof RefusalError && error.refusal === 'already_decided' ? (error.call ?? null) : null;
      const sentences = [
        error instanceof AppError ? error.userMessage : OUR_FAULT,
        ...(isElse && web.signIn.slack ? [html`<a href="${other}">${SIGN_IN_PAGE.other}</a>`] : []),
        ...(visitor ? await waysOn(visitor, key, over).catch(() => []) : []),
      ];
      const aside = visitor && signedIn(web, visitor);
      return messagePage(errorTitle(error), sentences, errorAnswer(error).status, aside);
    },
  };
}

/** The ways on from a call: to the next one that waits, to its card, and to all that waits. */
async function findWaysOn(
  { gate, mcp }: Pick<DecidePorts, 'gate' | 'mcp'>,
  web: WebPorts,
  { actor }: Visitor,
  from: { readonly key: string; readonly call: CallRecord | null },
): Promise<readonly Html[]> {
  const at = (path: string): string => `${web.publicUrl()}${path}`;
  const { calls } = await gate.calls.inbox(actor.id, LOOKED_THROUGH);
  const next = calls.find((one) => one.state === 'pending' && recordKey(one) !== from.key);
  const words = next && (await web.headlines([next], actor)).get(recordKey(next));
  const url = from.call && (await mcp.whereabouts(from.call, actor)).url;
  return [
    ...(next
      ? [html`<a href="${at(`/decide/${recordKey(next)}`)}">${DECIDE_PAGE.next(words ?? '')}</a>`]
      : []),
    ...(url === null ? [] : [html`<a href="${url}">${DECIDE_PAGE.inSlack}</a>`]),
    html`<a href="${at(DASHBOARD_PATH)}">${DASHBOARD.back}</a>`,
  ];
}

/** A call as it is shown, and which version of it that is: of what changed while it was read, the page is told. */
interface LiveSheet extends DecisionSheet {
  readonly version: string;
}

/** @throws RefusalError for an unknown call */
export async function readSheet(
  ports: Pick<DecidePorts, 'gate'>,
  web: Pick<WebPorts, 'sheet'>,
  key: string,
  { actor }: Visitor,
): Promise<LiveSheet> {
  const version = await readVersion(ports, key);
  const sheet = await web.sheet(key, actor);
  if (!sheet) throw unknownCall();
  return { ...sheet, version };
}

/** Differs where a page would show something else of this call, or of the plan that it is a step of. */
export async function readVersion({ gate }: Pick<DecidePorts, 'gate'>, key: string): Promise<string> {
  const call = await gate.calls.get(key);
  if (call === null) return '';
  const request =
    call.after === undefined || call.requestId === null ? null : await gate.requests.get(call.requestId);
  const steps = request === null ? [call] : await gate.calls.inThread(request.threadId, request.callIds);
  return computeVersion(
    steps.filter((step) => step !== null),
    [],
  );
}

/** Whether this person may decide it now, and so read it. */
export async function mayDecide(
  { gate }: Pick<DecidePorts, 'gate'>,
  key: string,
  { actor }: Visitor,
): Promise<boolean> {
  try {
    await gate.decisions.checkDecidable(key, actor, { digest: null });
    return true;
  } catch (error) {
    if (error instanceof RefusalError) return false;
    throw error;
  }
}

/** Says which of several were decided with the others, and of those that weren't, why. */
export function decidedTogetherPage(
  web: WebPorts,
  sentences: readonly string[],
  visitor: Visitor,
): Promise<Response> {
  const back = html`<a href="${web.publicUrl()}${DASHBOARD_PATH}">${DASHBOARD.back}</a>`;
  return messagePage(PROBLEM_TITLE.someDecided, [...sentences, back], 409, signedIn(web, visitor));
}

/** Asks for the sign-in that approving a call takes, of somebody who may decide it. */
export function otherSignInPage(
  web: WebPorts,
  { call, summary }: DecisionSheet,
  visitor: Visitor,
): Promise<Response> {
  const { session } = visitor;
  const sentences = [SIGN_IN_PAGE.nothingDone(summary), ...needsOtherSignIn(web, session, recordKey(call))];
  return messagePage(SIGN_IN_PAGE.title, sentences, 401, signedIn(web, visitor));
}

/** For who comes without a sign-in. */
export function signInPage(web: WebPorts, key: string): Promise<Response> {
  return messagePage(SIGN_IN_PAGE.title, [SIGN_IN_PAGE.why, signInWay(web, { for: key })], 401);
}

/** The person's own decision on the call as it is now, as a heading; null if there is none. */
export function describeOwnDecision(
  { samePerson }: Pick<WebPorts, 'samePerson'>,
  call: CallRecord,
  actor: Actor,
): string | null {
  const { decision, votes = [] } = call;
  const own =
    votes.findLast((vote) => !vote.earlier && samePerson(vote.actor, actor)) ??
    (decision && samePerson(decision.actor, actor) ? decision : undefined);
  // Of an earlier step: they may be the one who is asked in this one too.
  const isEarlier =
    call.state === 'pending' && own !== undefined && 'step' in own && own.step !== approvalTally(call).step;
  if (own === undefined || isEarlier) return null;
  return ownDecision(DECISION_WORDS[own.type], { isOpen: call.state === 'pending' });
}

/** What somebody did, after their name. */
export const DECISION_WORDS = {
  approve: 'approved',
  edit: 'approved',
  reject: 'rejected',
  ignore: 'ignored',
  answer: 'answered',
} as const;

function errorTitle(error: unknown): string {
  if (!(error instanceof RefusalError)) return PROBLEM_TITLE.failed;
  if (error.refusal === 'not_allowed') return PROBLEM_TITLE.notYours;
  if (error.refusal === 'already_decided') return PROBLEM_TITLE.alreadyDecided;
  return PROBLEM_TITLE.nothingDone;
}
