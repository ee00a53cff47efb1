import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { CallRecord, DecisionInput } from '../../gate/types.ts';
import { type Actor, approvalTally, RefusalError, recordKey, unknownCall } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { DecisionSheet } from '../../presentation/decision-sheet.ts';
import { readFormBody } from '../api/body.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { errorAnswer } from '../errors.ts';
import { OUR_FAULT } from '../texts.ts';
import type { AdminPorts } from './admin/ports.ts';
import { planPart } from './calls/plan.ts';
import { type DecideForm, decideBody, decidedBody, typedField } from './pages/decide.ts';
import { type HtmlPart, messagePage, page, redirect } from './pages/layout.ts';
import { needsOtherSignIn, signedIn, signInWay } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH, signInPath } from './session/cookies.ts';
import { isEqual } from './session/secrets.ts';
import { formToken, type WebSession } from './session/sessions.ts';
import {
  findDashboardVisitor,
  isAdminVisitor,
  isSignedInToDecide,
  mustSignIn,
  type Visitor,
} from './session/visitor.ts';
import {
  DASHBOARD,
  DECIDE_PAGE,
  DECIDED,
  EXPIRED,
  FOREIGN_FORM,
  ownDecision,
  PROBLEM_TITLE,
  SIGN_IN_PAGE,
} from './texts.ts';

/** Keys of calls are 128 bits. */
const KEY = /^[\w-]{22}$/;
/** What may be written as a reason, in characters, as in Slack's forms. */
const MAX_FEEDBACK = 3000;
/** Refusals that the sender can fix in the form. */
const MENDABLE: ReadonlySet<string> = new Set(['confirmation_required', 'feedback_required']);

const formSchema = z.looseObject({
  token: z.string(),
  digest: z.string(),
  place: z.string().optional(),
  word: z.enum(['approve', 'reject', 'answer']),
  feedback: z.string().max(MAX_FEEDBACK).default(''),
  /** Which page the form was on; the call's own unless it says. */
  back: z.literal('dashboard').optional(),
});
type Form = z.infer<typeof formSchema>;

interface DecidePorts extends Pick<ApiPorts, 'gate' | 'log'> {
  readonly admin: Pick<AdminPorts, 'isAdmin'> | null;
}

/**
 * `GET` and `POST /decide/{key}`: the full call, for an eligible person who has signed in; and their
 * decision.
 */
export function decideRoute(app: Hono<HttpEnv>, ports: DecidePorts, web: WebPorts): void {
  const { gate } = ports;

  app.get('/decide/:key', (c) =>
    answered(c, async (key) => {
      const visitor = await findDashboardVisitor(c, web);
      if (!visitor) return signInPage(web, key);
      const sheet = await readSheet(key, visitor);
      if (mustSignIn(web, sheet.call, visitor.session))
        return await askForSignIn({ gate, web }, sheet, visitor, SIGN_IN_PAGE.waits);
      const ownDecisionTitle = describeOwnDecision(web, sheet.call, visitor.actor);
      if (ownDecisionTitle !== null)
        return page({
          title: ownDecisionTitle,
          aside: signedIn(web, visitor),
          body: decidedBody(sheet, ownDecisionTitle, await readPlan({ ...ports, web }, sheet, visitor)),
        });
      if (sheet.call.state !== 'pending') throw alreadyDecided(sheet.call);
      await gate.decisions.checkDecidable(key, visitor.actor, { digest: null });
      return await decidePage({ ...ports, web }, sheet, { visitor, key });
    }),
  );

  app.post('/decide/:key', (c) =>
    answered(c, async (key) => {
      const visitor = await findDashboardVisitor(c, web);
      if (!visitor)
        return messagePage(SIGN_IN_PAGE.failed, [SIGN_IN_PAGE.lapsed, signInWay(web, { for: key })], 401);
      const attempt = { actor: visitor.actor, attempt: 'web form', ids: [key] };
      const form = await gate.audit.watch(attempt, () => readForm(c, key, visitor.session));
      const sheet = await readSheet(key, visitor);
      if (mustSignIn(web, sheet.call, visitor.session))
        return await askForSignIn({ gate, web }, sheet, visitor, SIGN_IN_PAGE.nothingDone);
      const typed = readTyped(form, sheet);
      const { digest, place, word, feedback } = form;
      const input: DecisionInput = {
        callKey: key,
        digest,
        place,
        type: word,
        typed,
        feedback: feedback.trim(),
      };
      try {
        const { session, actor } = visitor;
        if (isRejectedAndApproved(form)) await gate.decisions.checkDecidable(key, actor, { digest, place });
        else if (isSignedInToDecide(web, session)) await gate.decisions.decideOnWeb(input, actor);
        else await gate.decisions.decide([input], actor);
      } catch (error) {
        const sent = { problems: describeMendable(error), typed, feedback, back: form.back };
        return await decidePage({ ...ports, web }, await readSheet(key, visitor), { visitor, key, sent });
      }
      if (isRejectedAndApproved(form)) {
        const sent = { problems: [DECIDE_PAGE.whyAndApproved], typed, feedback, back: form.back };
        return await decidePage({ ...ports, web }, sheet, { visitor, key, sent });
      }
      return redirect(`${web.publicUrl()}${form.back === 'dashboard' ? DASHBOARD_PATH : `/decide/${key}`}`);
    }),
  );

  /** Answers with a page, also for errors: a person reads it. */
  async function answered(c: HttpContext, answer: (key: string) => Promise<Response>): Promise<Response> {
    try {
      const key = c.req.param('key') ?? '';
      if (!KEY.test(key)) throw unknownCall();
      return await answer(key);
    } catch (error) {
      if (errorAnswer(error).status >= 500)
        ports.log.error({ requestId: c.get('requestId'), err: error }, 'page failed');
      const visitor = await findDashboardVisitor(c, web).catch(() => null);
      return errorPage(web, error, { visitor, key: c.req.param('key') ?? '' });
    }
  }

  async function readSheet(key: string, { actor }: Visitor): Promise<DecisionSheet> {
    const sheet = await web.sheet(key, actor);
    if (!sheet) throw unknownCall();
    return sheet;
  }
}

/** See {@link planPart}. */
async function readPlan(
  { gate, admin, web }: DecidePorts & { readonly web: WebPorts },
  sheet: DecisionSheet,
  visitor: Visitor,
): Promise<HtmlPart> {
  if (sheet.step === null) return null;
  return planPart({ gate, web }, { ...visitor, isAdmin: await isAdminVisitor(visitor, admin) }, sheet);
}

async function decidePage(
  ports: DecidePorts & { readonly web: WebPorts },
  sheet: DecisionSheet,
  { visitor, key, sent }: { visitor: Visitor; key: string; sent?: Omit<DecideForm, 'token'> },
): Promise<Response> {
  const { typed = {}, feedback = '', problems = [], back } = sent ?? {};
  const { web } = ports;
  const token = formToken(visitor.session, key, sheet.call.digest);
  const plan = await readPlan(ports, sheet, visitor);
  return page({
    title: sheet.summary,
    aside: signedIn(web, visitor),
    status: problems.length === 0 ? 200 : 422,
    body: decideBody(sheet, { token, typed, feedback, problems, back }, plan),
  });
}

function errorPage(
  web: WebPorts,
  error: unknown,
  { visitor, key }: { readonly visitor: Visitor | null; readonly key: string },
): Promise<Response> {
  const isElse = error instanceof RefusalError && error.refusal === 'not_allowed' && visitor !== null;
  const other = `${web.publicUrl()}${signInPath({ for: key })}`;
  const back = html`<a href="${web.publicUrl()}${DASHBOARD_PATH}">${DASHBOARD.back}</a>`;
  const sentences = [
    errorText(error),
    ...(isElse && web.signIn.slack ? [html`<a href="${other}">${SIGN_IN_PAGE.other}</a>`] : []),
    ...(visitor ? [back] : []),
  ];
  return messagePage(
    errorTitle(error),
    sentences,
    errorAnswer(error).status,
    visitor && signedIn(web, visitor),
  );
}

/** Asks for the sign-in that a call's rule wants; which call that is, only somebody reads who may decide it. */
async function askForSignIn(
  { gate, web }: { readonly gate: Pick<ApiPorts['gate'], 'decisions'>; readonly web: WebPorts },
  { call, summary }: DecisionSheet,
  visitor: Visitor,
  say: (summary: string) => string,
): Promise<Response> {
  const key = recordKey(call);
  const mayRead = await gate.decisions.checkDecidable(key, visitor.actor, { digest: null }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RefusalError) return false;
      throw error;
    },
  );
  if (!mayRead) return signInPage(web, key);
  const sentences = [say(summary), ...needsOtherSignIn(web, visitor.session, key)];
  return messagePage(SIGN_IN_PAGE.title, sentences, 401, signedIn(web, visitor));
}

function signInPage(web: WebPorts, key: string): Promise<Response> {
  return messagePage(SIGN_IN_PAGE.title, [SIGN_IN_PAGE.why, signInWay(web, { for: key })], 401);
}

/** The person's own decision on the call as it is now, as a heading; null if there is none. */
function describeOwnDecision({ samePerson }: WebPorts, call: CallRecord, actor: Actor): string | null {
  const { decision, votes = [] } = call;
  const own =
    votes.findLast((vote) => !vote.earlier && samePerson(vote.actor, actor)) ??
    (decision && samePerson(decision.actor, actor) ? decision : undefined);
  // Of an earlier step: they may be the one who is asked in this one too.
  const isEarlier =
    call.state === 'pending' && own !== undefined && 'step' in own && own.step !== approvalTally(call).step;
  if (own === undefined || isEarlier) return null;
  return ownDecision(OWN[own.type], { isOpen: call.state === 'pending' });
}

/** What somebody did, in their own page's heading. */
const OWN = {
  approve: 'approved',
  edit: 'approved',
  reject: 'rejected',
  ignore: 'ignored',
  answer: 'answered',
} as const;

/**
 * The form, if this session got it for this call.
 * @throws RefusalError for any other
 */
async function readForm(c: HttpContext, key: string, session: WebSession): Promise<Form> {
  const site = c.req.header('sec-fetch-site');
  const parsed = formSchema.safeParse(await readFormBody(c));
  const isOwn =
    parsed.success &&
    (site === undefined || site === 'same-origin') &&
    isEqual(parsed.data.token, formToken(session, key, parsed.data.digest));
  if (isOwn) return parsed.data;
  throw new RefusalError('not_allowed', FOREIGN_FORM);
}

/** Whether somebody wrote why they reject the call and clicked Approve: nobody can know which of the two was meant. */
function isRejectedAndApproved({ word, feedback }: Form): boolean {
  return word === 'approve' && feedback.trim() !== '';
}

/**
 * What to mend in the form.
 * @throws what it was given, where nothing in the form can be
 */
function describeMendable(error: unknown): readonly string[] {
  if (!(error instanceof RefusalError) || !MENDABLE.has(error.refusal)) throw error;
  return error.details.length > 0 ? error.details : [error.userMessage];
}

function readTyped(form: Form, { typed }: DecisionSheet): Readonly<Record<string, string>> {
  return Object.fromEntries(
    typed.map(({ argument }, index) => {
      const value = form[typedField(index)];
      return [argument, typeof value === 'string' ? value : ''];
    }),
  );
}

function errorTitle(error: unknown): string {
  if (!(error instanceof RefusalError)) return PROBLEM_TITLE.failed;
  if (error.refusal === 'not_allowed') return PROBLEM_TITLE.notYours;
  if (error.refusal === 'already_decided') return PROBLEM_TITLE.alreadyDecided;
  return PROBLEM_TITLE.nothingDone;
}

function errorText(error: unknown): string {
  return error instanceof AppError ? error.userMessage : OUR_FAULT;
}

function alreadyDecided(call: CallRecord): RefusalError {
  return new RefusalError('already_decided', call.state === 'expired' ? EXPIRED : DECIDED, call);
}
