import type { RichTextText } from '@slack/types';
import { type Actor, type ApprovalStatus, type CallRecord, placeDigest } from '../../gate/types.ts';
import type { Mail, NewerMails } from '../../inbox/ports.ts';
import type { ArgumentRow } from '../../presentation/argument-row.ts';
import {
  type ArgumentChange,
  describeArguments,
  describeArgumentsWhole,
} from '../../presentation/arguments.ts';
import { headline } from '../../presentation/headline.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import type { FreeTime } from '../../presentation/people/free-time.ts';
import { clip, clipAtWord, head, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { toolName } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { NO_ARGUMENTS } from '../../presentation/texts.ts';
import { describeUnsentDefaults } from '../../presentation/unsent-defaults.ts';
import type { ValueContext } from '../../presentation/values.ts';
import type { ApproverSummary } from '../people/types.ts';
import { newsId } from '../text/answer-pair.ts';
import { asOfMail, besideMail, isOfInbox } from '../text/answered-mail.ts';
import { text } from '../text/block-kit.ts';
import { ARGUMENTS, PLAN } from '../texts/cards.ts';
import type { CallReference } from './action-values.ts';
import { type FittedRows, fitCard, rowLength } from './argument-blocks.ts';
import { hasLongInstructions } from './quoted-blocks.ts';
import { hasLongChanges } from './tool-change-blocks.ts';

/** A call, prepared for cards, modals and Home. */
export interface CallView {
  /** Opaque, at most 64 characters, no colon. */
  readonly callKey: string;
  readonly call: CallRecord;
  readonly approval: ApprovalStatus;
  /** Who can decide the call; null once it is decided. */
  readonly approvers: ApproverSummary | null;
  /** Milliseconds since the epoch; null: never expires. */
  readonly expiresAt: number | null;
  readonly resolve: ValueContext;
  /** With whose own account it was read what the call is about, where that isn't shown for that reason; null elsewhere. */
  readonly withheld: Actor | null;
  /** Whether it's shown to its requester alone, who may read what their own account answered. */
  readonly isForOwner: boolean;
  /** Whether people can sign in on the web page, for calls that can only be approved there. */
  readonly canSignIn: boolean;
  /** The call of the same tool that a person rejected with words, and that a waiting call is proposed after. */
  readonly corrects: CallRecord | null;
  /** The meeting that was drafted together with a reply to a mail, or the reply with a meeting; null elsewhere. */
  readonly beside: CallRecord | null;
  /** The newest mail of the conversation that such a draft doesn't know; null elsewhere. */
  readonly newer: NewerMails | null;
  /** The mail that a question of the agent is about; null elsewhere. */
  readonly about: Pick<Mail, 'from' | 'subject'> | null;
  /** Whether the requester is free while what a waiting call adds is; null where that isn't looked up, or for others to see. */
  readonly freeTime: FreeTime | null;
  /** The calendars of which who edits a meeting chooses one; none where they aren't known. */
  readonly calendars: readonly { readonly value: string; readonly title: string }[];
  /** Where it stands in its plan; null for a call that is no step of one. */
  readonly step: StepView | null;
  /** Of a plan's step: the numbers of those before it that it runs without. */
  readonly unneeded: readonly number[];
  /** The numbers of those that don't run if it isn't done. */
  readonly neededBy: readonly number[];
}

/** The place of a step in its plan. */
export interface StepView {
  /** The plan's title, in the model's words. */
  readonly title: string;
  /** From 1. */
  readonly number: number;
  /** Of all steps, those that come later included. */
  readonly count: number;
}

/** The longest title of a plan that stands beside a step of it, in characters; the plan's own card has more. */
const PLAN_TITLE_LENGTH = 100;

/** Which step of which plan a call is: “Step 2 of 4 of “Half the dose””; null for a call that is none. */
export function describePlanStep({ step }: Pick<CallView, 'step'>): string | null {
  if (step === null) return null;
  return PLAN.step({
    ...step,
    title: quoteText(clipAtWord(visible(oneLine(step.title)), PLAN_TITLE_LENGTH)),
  });
}

/** The same in a message, after a line break or `mark`; nothing for a call that is no step. */
export function stepLine(view: Pick<CallView, 'step'>, mark = '\n'): RichTextText[] {
  const step = describePlanStep(view);
  return step === null ? [] : [text(`${mark}${step}`)];
}

/** The call as it is shown, with the newer mail that its marks tell of, if there is one. */
export function callReference({
  callKey,
  call,
  newer = null,
}: Pick<CallView, 'callKey' | 'call'> & Partial<Pick<CallView, 'newer'>>): CallReference {
  const place = placeDigest(call);
  return {
    ...{ callKey, digest: call.digest },
    ...(place !== undefined && { place }),
    ...(newer !== null && { news: newsId(newer) }),
  };
}

/** That a step of a plan runs without some of those before it, as a sentence; none where it needs them all. */
export function describeUnneeded({ unneeded }: CallView): readonly string[] {
  return unneeded.length === 0 ? [] : [PLAN.thisRunsWithout(unneeded)];
}

/** Which steps of a plan go with this one if it's rejected, as a sentence; none where nothing does. */
export function describeNeededBy({ neededBy }: CallView): readonly string[] {
  return neededBy.length === 0 ? [] : [PLAN.neededBy(neededBy)];
}

/** The longest name of a tool on a card, in characters; the full view has longer ones. */
const NAME_LENGTH = 160;

/** How much of the text of a mail that is to be sent its card has: of one that people write, all. In lines, and characters. */
const MAIL_TEXT = { lines: 30, length: 1_800 };

/** The part of a call that its card shows, and whether that is all of it. */
export interface CallSummary {
  readonly rows: FittedRows<ArgumentRow>;
  /** What the tool uses for arguments that aren't sent; null for nothing. */
  readonly defaults: string | null;
  /** The server that the notes beside arguments quote; null where they quote none. */
  readonly source: string | null;
  /**
   * Part of the tool's name, arguments or others' comments isn't on the card, so the call can't be approved
   * there.
   */
  readonly incomplete: boolean;
}

/** The tool's real name, `server.tool`, as far as a card has room for it. */
export function shownName({ call }: CallView): string {
  return clip(toolName(call.tool), NAME_LENGTH);
}

/** The server that the notes beside these arguments of a call quote; null where they quote none. */
export function quotedServer(
  { tool }: CallRecord,
  rows: readonly (ArgumentRow | ArgumentChange)[],
): string | null {
  // A change has no notes.
  return rows.some((row) => 'quotesServer' in row && row.quotesServer) ? sentence(tool.server) : null;
}

export function summarizeCall(view: CallView): CallSummary {
  const { call } = view;
  const resolve = besideMail(view);
  const name = toolName(call.tool);
  const most = isOfInbox(call) ? MAIL_TEXT : undefined;
  const described = describeArguments(call.tool, call.arguments, resolve, most);
  const rows = fitCard(asOfMail(view, described), rowLength);
  return {
    rows,
    defaults: describeUnsentDefaults(call.tool, call.arguments, resolve),
    source: quotedServer(call, rows.rows),
    incomplete:
      rows.hidden > 0 ||
      hasLongInstructions(view) ||
      hasLongChanges(call) ||
      rows.rows.some((row) => row.truncated) ||
      name.length > NAME_LENGTH,
  };
}

/**
 * A call's {@link headline} with the tool's real name: "Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event)".
 * For notifications and lists, never instead of the arguments.
 */
export function callTitle(view: CallView): string {
  const act = describeAct(view);
  // Our own question is no tool, and whoever answers mails has no use for the names of tools.
  return view.call.kind === 'question' || isOfInbox(view.call) ? act : `${act} (${shownName(view)})`;
}

/** As {@link callTitle}, without the tool's real name: for where that stands already. */
export function describeAct({ call, resolve }: CallView): string {
  return headline(call, resolve);
}

/**
 * The object of a destructive call, for its confirm dialog: every argument as it is sent, in at most `limit`
 * characters. It says when something doesn't fit.
 */
export function callObject({ call, resolve }: CallView, limit: number): string {
  const rows = describeArgumentsWhole(call.tool, call.arguments, resolve);
  if (rows.length === 0) return `${NO_ARGUMENTS}.`;
  const all = rows.map(argumentLine).join('\n');
  return all.length <= limit ? all : `${head(all, limit - 2)} …`;
}

/** A value of several lines, such as code, keeps them; each has a mark before it, so that none can pass for an argument. */
function argumentLine({ label, value, raw, box, was, note }: ArgumentRow): string {
  const words = box ? (raw ?? value) : value;
  const more = note === null ? '' : ` ${note}`;
  if (was === null && words.includes('\n')) return `${label}:${more}\n${words.replace(/^/gm, '│ ')}`;
  const line = oneLine(words);
  // Such that no value reads as a change.
  const shown = /^from /.test(line) ? JSON.stringify(line) : line;
  const change = was === null ? shown : ARGUMENTS.change(was, shown);
  return `${label}: ${change}${more}`;
}
