import type { Actor, CallRecord } from '../../gate/types.ts';
import { approverInstructions, hasEarlierDoubt, requiredConfirmations } from '../../gate/types.ts';
import { describeArgumentsWhole } from '../../presentation/arguments.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { propertiesInOrder } from '../../presentation/schema-labels.ts';
import { oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { type CallView, callInWords, summaryOf } from '../cards/call-view.ts';
import { lineInWords, stateLine } from '../cards/state-line.ts';
import { toolChanges } from '../cards/tool-change-blocks.ts';
import { actorOf } from '../people/actor.ts';
import type { Directory } from '../people/directory.ts';
import type { BotIdentity } from '../people/types.ts';
import { instant } from '../text/block-kit.ts';
import type { Views } from './call-views.ts';

export interface WebSheetPorts {
  readonly views: Views;
  readonly directory: Directory;
  readonly bot: BotIdentity;
}

/** What the web page knows of calls and people: the same words that cards have, as plain text. */
export function createWebSheets({ views, directory, bot }: WebSheetPorts) {
  return {
    /** The workspace that people must have signed in to. */
    teamId: (): string => bot().teamId,
    /** Somebody as the gate knows them, as from a click of theirs. */
    actor: (user: string): Promise<Actor> => actorOf({ bot, directory }, user),
    async sheet(callKey: string) {
      const view = await views.call(callKey);
      return view === null ? null : sheetOf(view);
    },
  };
}

/** All that a card and its full view show of a call; every text has passed through `visible`. */
export function sheetOf(view: CallView) {
  const { call, deciders, expiresAt, resolve, risk } = view;
  const { rule, reason } = call.verdict;
  const rows = describeArgumentsWhole(call.tool, call.arguments, resolve);
  return {
    call,
    title: oneLine(visible(call.tool.title)) || '(no title)',
    inWords: callInWords(view),
    server: oneLine(visible(call.tool.server)),
    tool: oneLine(visible(call.tool.name)),
    description: visible(call.tool.description).trim(),
    requester: sentence(call.requester.name),
    deciders: `${sentence(deciders.who)} ${deciders.verb}`,
    progress: deciders.progress === null ? null : sentence(deciders.progress),
    until: expiresAt === null ? null : lineInWords([instant(expiresAt, resolve.timeZone)]),
    rows: rows.map(({ label, value, raw, exact, note }) => ({ label, value, raw, exact, note })),
    source: summaryOf(view).source,
    warnings: warningsOf(call, risk),
    rule: sentence(rule),
    reason: reason === null ? null : sentence(reason),
    // Its sign is for a card, beside which others stand.
    state: lineInWords(stateLine(view)).replace(/^\p{Extended_Pictographic}\uFE0F? */u, ''),
    typed: typedOf(call),
  };
}
export type WebSheet = ReturnType<typeof sheetOf>;

function warningsOf(call: CallRecord, risk: string | null): readonly string[] {
  return [
    ...(risk === null ? [] : [sentence(risk)]),
    ...(call.tool.destructive ? ['This may delete or overwrite something.'] : []),
    ...(hasEarlierDoubt(call)
      ? ['This was sent once before, and may have happened. Approving sends it again.']
      : []),
    ...(call.state === 'pending' ? approverInstructions(call) : []).map(
      ({ by, text }) => `${sentence(by)} approved it with a word: “${visible(text)}”`,
    ),
    ...(call.askedAgain === undefined ? [] : [`Asked again: ${sentence(call.askedAgain)}`]),
    ...toolChanges(call)
      .split('\n')
      .filter((line) => line !== ''),
  ];
}

/** What must be typed to approve it, with the value as it must be typed; null where nobody can. */
function typedOf(call: CallRecord) {
  return requiredConfirmations(call).map(({ argument, expected }) => {
    const properties = propertiesInOrder(call.tool.inputSchema, [argument]);
    const label = properties.find(({ name }) => name === argument)?.label ?? argument;
    return {
      argument,
      label: oneLine(visible(label)),
      expected: expected === null ? null : oneLine(visible(expected)),
    };
  });
}
