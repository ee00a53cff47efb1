import type { RichTextElement } from '@slack/types';
import type { Gate } from '../../gate/index.ts';
import type { Actor, ApproverRef, CallRecord, LaterStep, Plan } from '../../gate/types.ts';
import { approvalTally, currentClaim } from '../../gate/types.ts';
import { headline } from '../../presentation/headline.ts';
import { oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { type CallView, describeAct } from '../cards/call-view.ts';
import type { PlanView } from '../cards/plan-block.ts';
import type { ReminderView } from '../cards/reminder-card.ts';
import { isListed, type RequestView } from '../cards/request-card.ts';
import { readSlackUser } from '../ids.ts';
import { isDirect, isForOthers } from '../people/approvers.ts';
import type { Directory } from '../people/directory.ts';
import { slackIdentity } from '../people/identity.ts';
import { findMentions } from '../people/mentions.ts';
import type { Named } from '../people/types.ts';

interface RequestViewPorts {
  readonly gate: Gate;
  readonly directory: Directory;
  readonly callViews: (calls: readonly CallRecord[], reader: Actor | null) => Promise<readonly CallView[]>;
}

/** Views of what several calls of a request share: its card, its reminders and whom they mention. */
export function createRequestViews({ gate, directory, callViews }: RequestViewPorts) {
  /** A request and its calls; null if there is no such request. */
  async function read(requestId: string) {
    const request = await gate.requests.get(requestId);
    if (!request) return null;
    const records = await gate.calls.inThread(request.threadId, request.callIds);
    return { request, records: records.filter((call) => call !== null) };
  }

  /** A plan with its later steps as far as they are known, and the calls that they became. */
  async function planView(
    threadId: string,
    { title, later }: Plan,
    calls: readonly CallView[],
    reader: Actor | null,
  ): Promise<PlanView> {
    const ids = later.flatMap(({ callId }) => callId ?? []);
    const records = ids.length === 0 ? [] : await gate.calls.inThread(threadId, ids);
    const views = await callViews(
      records.filter((call) => call !== null),
      reader,
    );
    const steps = later.map((step) => {
      const view = views.find(({ call }) => call.callId === step.callId) ?? null;
      return { step, act: view ? describeAct(view) : describeLater(step, calls[0]), view };
    });
    return { title, later: steps };
  }

  return {
    /** The people whom the card of several calls mentions, each once. */
    async mentions(calls: readonly CallRecord[]): Promise<readonly Named[]> {
      const asked = calls.filter(
        (call) => call.state === 'pending' && isForOthers(call) && !isDirect(call.threadId),
      );
      const found = await Promise.all(
        asked.map((call) => findMentions(approvalTally(call).from, call, { directory, gate })),
      );
      const others = found
        .flat()
        .filter(({ element }) => element.type !== 'text' && !isRequester(element, asked));
      return dedupeNames(others, []).reminded;
    },

    /** `reader`: whom it's shown to; null for a card. */
    async request(requestId: string, reader: Actor | null): Promise<RequestView | null> {
      const found = await read(requestId);
      if (!found) return null;
      const { threadId, plan } = found.request;
      const tools = found.records.filter((call) => call.kind === 'tool');
      const calls = await callViews(tools, reader);
      return {
        requestKey: requestId,
        calls,
        isListed: isListed(found.request),
        ...(plan && { plan: await planView(threadId, plan, calls, reader) }),
      };
    },

    /** The escalation reminder of that time: the calls of a request that still wait for the same people. */
    async reminder(requestId: string, at: number): Promise<ReminderView | null> {
      const found = await read(requestId);
      if (!found) return null;
      const waiting = found.records
        .map((call) => ({ call, escalations: escalationStepsAt(call, at) }))
        .filter(({ escalations }) => escalations.length > 0);
      const asked = waiting.map(({ call }) => call);
      const findNames = (refsOf: (one: (typeof waiting)[number]) => readonly ApproverRef[]) =>
        Promise.all(waiting.map((one) => findMentions(refsOf(one), one.call, { directory, gate })));
      const [calls, reminded, added] = await Promise.all([
        callViews(asked, null),
        findNames(({ call, escalations }) =>
          escalations.some(({ remind }) => remind) ? findReminded(call) : [],
        ),
        findNames(({ escalations }) => escalations.flatMap(({ add }) => add)),
      ]);
      return { key: `${requestId}:${at}`, calls, ...dedupeNames(reminded.flat(), added.flat()) };
    },
  };
}

/** What a later step does, in the words of its card, by the arguments that are known. */
function describeLater({ title, tool, arguments: known }: LaterStep, beside: CallView | undefined): string {
  if (!tool || !beside) return visible(oneLine(title));
  // What was read is about the other call.
  const { subject: _subject, ...resolve } = beside.resolve;
  return headline({ tool, arguments: known }, resolve);
}

/** The escalation steps taken at that time for the approval step that the call still waits for. */
function escalationStepsAt(call: CallRecord, at: number): NonNullable<CallRecord['timing']>['climbed'] {
  if (call.state !== 'pending') return [];
  const { step } = approvalTally(call);
  return call.timing?.climbed.filter((escalation) => escalation.at === at && escalation.step === step) ?? [];
}

/** Whom a reminder addresses: whoever claimed the call; without a claim, all whose approval is missing. */
function findReminded(call: CallRecord): readonly ApproverRef[] {
  const user = readSlackUser(currentClaim(slackIdentity, call)?.by.id ?? '');
  return user === null ? approvalTally(call).from : [`user:${user}`];
}

/** Names nobody twice: whoever has just been added isn't reminded as well. */
function dedupeNames(
  reminded: readonly Named[],
  added: readonly Named[],
): Pick<ReminderView, 'reminded' | 'added'> {
  const news = new Map(added.map((one) => [one.name, one]));
  const others = reminded.filter(({ name }) => !news.has(name)).map((one) => [one.name, one] as const);
  return { reminded: [...new Map(others).values()], added: [...news.values()] };
}

/** The requester needs no mention. */
function isRequester(element: RichTextElement, calls: readonly CallRecord[]): boolean {
  return (
    element.type === 'user' && calls.some(({ requester }) => readSlackUser(requester.id) === element.user_id)
  );
}
