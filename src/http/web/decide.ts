import type { Hono } from 'hono';
import { z } from 'zod';
import type { CallRecord, DecisionInput } from '../../gate/types.ts';
import { actorLabel, NewsError, RefusalError, unknownCall } from '../../gate/types.ts';
import type { DecisionSheet } from '../../presentation/decision-sheet.ts';
import { visible } from '../../presentation/text/visible.ts';
import { readFormBody } from '../api/body.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { errorAnswer } from '../errors.ts';
import {
  createDecideViews,
  DECISION_WORDS,
  type DecidePorts,
  decidedTogetherPage,
  describeOwnDecision,
  mayDecide,
  otherSignInPage,
  readSheet,
  readVersion,
  signInPage,
} from './decide-views.ts';
import type { Follow } from './live.ts';
import { typedField } from './pages/decide.ts';
import { redirect } from './pages/layout.ts';
import { lapsedPage, signInChoices, signInWay } from './pages/sign-in.ts';
import type { WebPorts } from './ports.ts';
import { DASHBOARD_PATH } from './session/cookies.ts';
import { isEqual } from './session/secrets.ts';
import { formToken, type WebSession } from './session/sessions.ts';
import { findDashboardVisitor, isSignedInToDecide, mustSignIn, type Visitor } from './session/visitor.ts';
import { DASHBOARD, DECIDE_PAGE, DECIDED, decidedBy, EXPIRED, FOREIGN_FORM } from './texts.ts';
import { parseTogether, TOGETHER, TOGETHER_PATH } from './together.ts';

/** Keys of calls are 128 bits. */
const KEY = /^[\w-]{22}$/;
/** What may be written as a reason, in characters, as in Slack's forms. */
const MAX_FEEDBACK = 3000;
/** Refusals that the sender can fix in the form; beside that of what the form didn't show and shows now. */
const MENDABLE: ReadonlySet<string> = new Set(['confirmation_required', 'feedback_required']);

const feedbackSchema = z.string().max(MAX_FEEDBACK).default('');

const formSchema = z.looseObject({
  token: z.string(),
  digest: z.string(),
  place: z.string().optional(),
  news: z.string().optional(),
  word: z.enum(['approve', 'reject', 'answer']),
  feedback: feedbackSchema,
  /** Which page the form was on; the call's own unless it says. */
  back: z.literal('dashboard').optional(),
});
type Form = z.infer<typeof formSchema>;

/** The form that decides several calls; each as it was shown, in {@link parseTogether}'s words. */
const togetherSchema = z.looseObject({
  token: z.string(),
  calls: z.string(),
  word: z.enum(['approve', 'reject']),
  /** Why all of them are rejected. */
  feedback: feedbackSchema,
});

/** `GET` and `POST /decide/{key}`: the full call, for an eligible person who has signed in; and their decision. */
export function decideRoute(app: Hono<HttpEnv>, ports: DecidePorts, web: WebPorts, follow: Follow): void {
  const { gate } = ports;
  const views = createDecideViews(ports, web);

  togetherRoute(app, ports, web);
  eventsRoute(app, ports, web, follow);

  app.get('/decide/:key', (c) =>
    answered(c, async (key) => {
      const visitor = await findDashboardVisitor(c, web);
      if (!visitor) return signInPage(web, key);
      const sheet = await readSheet(ports, web, key, visitor);
      const own = describeOwnDecision(web, sheet.call, visitor.actor);
      if (own !== null) return await views.decided(sheet, own, visitor);
      // Who may not decide it with a better sign-in either reads nothing of it.
      if (mustSignIn(web, sheet.call, visitor.session) && !(await mayDecide(ports, key, visitor)))
        return signInPage(web, key);
      if (sheet.call.state !== 'pending') throw alreadyDecided(sheet.call);
      await gate.decisions.checkDecidable(key, visitor.actor, { digest: null });
      return await views.toDecide(sheet, { visitor });
    }),
  );

  app.post('/decide/:key', (c) =>
    answered(c, async (key) => {
      const visitor = await findDashboardVisitor(c, web);
      if (!visitor) return lapsedPage([signInWay(web, { for: key })]);
      const attempt = { actor: visitor.actor, attempt: 'web form', ids: [key] };
      const form = await gate.audit.watch(attempt, () =>
        readForm(c, formSchema, visitor.session, ({ digest }) => [key, digest]),
      );
      const sheet = await readSheet(ports, web, key, visitor);
      if (form.word !== 'reject' && mustSignIn(web, sheet.call, visitor.session))
        return (await mayDecide(ports, key, visitor))
          ? otherSignInPage(web, sheet, visitor)
          : signInPage(web, key);
      const typed = readTyped(form, sheet);
      const { digest, place, news, word, feedback } = form;
      const input = { callKey: key, digest, place, news, type: word, typed, feedback: feedback.trim() };
      const { actor } = visitor;
      const sent = { typed, feedback, back: form.back };
      try {
        if (isRejectedAndApproved(form)) await gate.decisions.checkDecidable(key, actor, { digest, place });
        else await decide(ports, web, [input], visitor);
      } catch (error) {
        const again = { ...sent, problems: describeMendable(error) };
        return await views.toDecide(await readSheet(ports, web, key, visitor), { visitor, sent: again });
      }
      if (isRejectedAndApproved(form)) {
        const again = { ...sent, problems: [DECIDE_PAGE.whyAndApproved] };
        return await views.toDecide(sheet, { visitor, sent: again });
      }
      return redirect(`${web.publicUrl()}${form.back === 'dashboard' ? DASHBOARD_PATH : `/decide/${key}`}`);
    }),
  );

  /** Answers with a page, also for errors: a person reads it. */
  async function answered(c: HttpContext, answer: (key: string) => Promise<Response>): Promise<Response> {
    const key = c.req.param('key') ?? '';
    try {
      if (!KEY.test(key)) throw unknownCall();
      return await answer(key);
    } catch (error) {
      const visitor = await findDashboardVisitor(c, web).catch(() => null);
      logFault(ports, c, error);
      return views.problem(error, { visitor, key });
    }
  }
}

/** `GET /decide/{key}/events`: tells an open page when it no longer shows what there is. */
function eventsRoute(app: Hono<HttpEnv>, ports: DecidePorts, web: WebPorts, follow: Follow): void {
  app.get('/decide/:key/events', async (c) => {
    const visitor = await findDashboardVisitor(c, web);
    if (!visitor) return c.body(null, 401);
    const key = c.req.param('key') ?? '';
    const sheet = KEY.test(key) ? await web.sheet(key, visitor.actor) : null;
    // What is decided isn't asked of the gate: a page that listens again is no attempt to decide it.
    const isShown =
      sheet !== null &&
      (describeOwnDecision(web, sheet.call, visitor.actor) !== null ||
        (sheet.call.state === 'pending' && (await mayDecide(ports, key, visitor))));
    return isShown ? follow(c, visitor, () => readVersion(ports, key)) : c.body(null, 404);
  });
}

/** `POST /decide/together`: one decision on several calls, as they were shown together. */
function togetherRoute(app: Hono<HttpEnv>, ports: DecidePorts, web: WebPorts): void {
  const { gate } = ports;
  const views = createDecideViews(ports, web);

  app.post(TOGETHER_PATH, async (c) => {
    const visitor = await findDashboardVisitor(c, web);
    if (!visitor) return lapsedPage(signInChoices(web, ''));
    try {
      const attempt = { actor: visitor.actor, attempt: 'web form', ids: [] };
      const { calls, word, feedback } = await gate.audit.watch(attempt, async () => {
        const form = await readForm(c, togetherSchema, visitor.session, ({ calls: of }) => [TOGETHER, of]);
        return { ...form, calls: parseTogether(form.calls) };
      });
      if (isRejectedAndApproved({ word, feedback }))
        throw new RefusalError('not_applicable', DECIDE_PAGE.whyAndApproved);
      const why = feedback.trim();
      const inputs = calls.map(({ act: _act, ...shown }) => ({ ...shown, type: word, feedback: why }));
      const refused = await decide(ports, web, inputs, visitor);
      if (refused.size === 0) return redirect(`${web.publicUrl()}${DASHBOARD_PATH}`);
      const done = DASHBOARD.together[word](inputs.length - refused.size);
      const left = calls.flatMap(({ callKey, act }) => {
        const refusal = refused.get(callKey)?.userMessage;
        return refusal === undefined ? [] : [`${act}: ${refusal}`];
      });
      return await decidedTogetherPage(web, [done, ...left], visitor);
    } catch (error) {
      logFault(ports, c, error);
      return views.problem(error, { visitor, key: '' });
    }
  });
}

/** Decides those that can be, as they were shown; why the others weren't, by key. */
function decide(
  { gate }: Pick<DecidePorts, 'gate'>,
  web: Pick<WebPorts, 'isLinkEnough'>,
  inputs: readonly DecisionInput[],
  { session, actor }: Visitor,
) {
  const { decisions } = gate;
  return isSignedInToDecide(web, session)
    ? decisions.decideOnWeb(inputs, actor)
    : decisions.decideEach(inputs, actor);
}

function logFault({ log }: Pick<DecidePorts, 'log'>, c: HttpContext, error: unknown): void {
  if (errorAnswer(error).status >= 500)
    log.error({ requestId: c.get('requestId'), err: error }, 'page failed');
}

/**
 * The form, if this session got it for what `madeFor` says.
 * @throws RefusalError for any other
 */
async function readForm<T extends { readonly token: string }>(
  c: HttpContext,
  schema: z.ZodType<T>,
  session: WebSession,
  madeFor: (form: T) => readonly [string, string],
): Promise<T> {
  const site = c.req.header('sec-fetch-site');
  const parsed = schema.safeParse(await readFormBody(c));
  const isOwn =
    parsed.success &&
    (site === undefined || site === 'same-origin') &&
    isEqual(parsed.data.token, formToken(session, ...madeFor(parsed.data)));
  if (isOwn) return parsed.data;
  throw new RefusalError('not_allowed', FOREIGN_FORM);
}

/** Whether somebody wrote why they reject the call and clicked Approve: nobody can know which of the two was meant. */
function isRejectedAndApproved({ word, feedback }: Pick<Form, 'word' | 'feedback'>): boolean {
  return word === 'approve' && feedback.trim() !== '';
}

/**
 * What to mend in the form.
 * @throws what it was given, where nothing in the form can be
 */
function describeMendable(error: unknown): readonly string[] {
  if (!(error instanceof RefusalError)) throw error;
  if (!MENDABLE.has(error.refusal) && !(error instanceof NewsError)) throw error;
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

/** To who comes too late: who decided it, as the gate says to whoever still tries. */
function alreadyDecided(call: CallRecord): RefusalError {
  return new RefusalError('already_decided', describeEnd(call), call);
}

function describeEnd({ state, decision }: CallRecord): string {
  if (state === 'expired') return EXPIRED;
  if (state === 'cancelled' || state === 'superseded' || decision === null) return DECIDED;
  return decidedBy(visible(actorLabel(decision)), DECISION_WORDS[decision.type]);
}
