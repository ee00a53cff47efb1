import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Moment } from '../../lib/text/spoken-times.ts';
import { wordsOnly } from '../shared/speakers.ts';

/** What the model is asked with. */
export interface DemoInput extends Moment {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly DemoTool[];
  /** Whether a banner says that this is the demo model. @default false: its first answer does */
  readonly hasBanner?: boolean;
}

/** Either an answer, or calls. */
export type DemoReply =
  | { readonly text: string }
  | {
      readonly toolCalls: readonly DemoCall[];
      /** What is said beside them, on their card. @default nothing */
      readonly said?: string;
      /** Calls whose arguments depend on the results of these, for a plan. */
      readonly later?: readonly DemoCall[];
      /** The last comes after those before it. @default false */
      readonly inOrder?: boolean;
    };

/** A tool as offered to the model. */
export interface DemoTool {
  readonly name: string;
  /** The JSON Schema of its arguments; absent where nothing is known of them. */
  readonly parameters?: unknown;
}

export interface DemoCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/**
 * A call of this turn with its ToolMessage's result. `arguments` are those that ran: a person may have edited
 * the proposed ones.
 */
export interface EndedCall extends DemoCall {
  readonly status: 'done' | 'rejected' | 'not_done';
  /** Who rejected it or sent it back, with which feedback; null unless one of these. */
  readonly rejection: Rejection | null;
  /** Who edited the arguments before approving; null when nobody did. */
  readonly editedBy: string | null;
  /** The ToolMessage's text, without the note about an edit and the wishes. */
  readonly text: string;
  /** What approvers want besides or instead, in their words. */
  readonly wishes: readonly string[];
}

interface Rejection {
  readonly by: string;
  readonly feedback: string;
  readonly isSentBack: boolean;
}

/** A turn: everything since a person's last message, or since an approver said what they want besides or instead. */
export interface Turn {
  readonly message: string;
  /** The calls before an approver's wish, which is then the message. */
  readonly earlier: readonly EndedCall[];
  readonly calls: readonly EndedCall[];
  /** The calls of the latest assistant message, if their results came last. */
  readonly latest: readonly EndedCall[];
}

const REJECTED =
  /\b(rejected|sent back) by ([^:\n]+?)(?:, who gave no reason\.[\s\S]*|(?: with feedback)?\s*:\s*([\s\S]*)|\s*)$/i;
const EDITED = /^(.+?) changed the arguments before approving; it ran with (\{.*\})\.\n?/;
/** As `shared/tool-messages.ts` writes them, and {@link MOVED}. */
const BESIDES = /\n[^\n]+? approved this and adds: ([^\n]*)/g;
const INSTEAD =
  /^Not run: ([^\n]+?) wants this instead: ([\s\S]+?)\nPropose what it needs; it is asked for anew\./;
const MOVED = /\nIn the order that [^\n]+ gave the plan, this is step (\d+), not \d+\.$/;
const NOT_DONE = /^(?:ignored|expired|cancell?ed|withdrawn|superseded|denied|not run|not done|failed)\b/i;

/** The current turn, and the messages before it. */
export function readTurn(messages: readonly BaseMessage[]): { before: readonly BaseMessage[]; turn: Turn } {
  const start = messages.findLastIndex((message) => HumanMessage.isInstance(message));
  const [first, ...rest] = messages.slice(Math.max(start, 0));
  const results = new Map(
    rest.filter((message) => ToolMessage.isInstance(message)).map((m) => [m.tool_call_id, m]),
  );
  const batches = rest
    .filter((message) => AIMessage.isInstance(message))
    .map((message) => endedCalls(message, results));
  const endsWithResult = ToolMessage.isInstance(messages.at(-1));
  const wished = batches.findLastIndex((batch) => batch.some(({ wishes }) => wishes.length > 0));
  const wishes = batches[wished]?.flatMap((call) => call.wishes) ?? [];
  return {
    before: messages.slice(0, Math.max(start, 0)),
    turn: {
      message: wished === -1 ? wordsOnly(first?.text ?? '') : wishes.join('\n'),
      earlier: batches.slice(0, wished + 1).flat(),
      calls: batches.slice(wished + 1).flat(),
      latest: endsWithResult ? (batches.at(-1) ?? []) : [],
    },
  };
}

/** The offered tool that its server calls `name`, whatever server prefix it has. */
export function toolNamed(tools: readonly DemoTool[], name: string): DemoTool | null {
  return tools.find((tool) => isCallTo(tool, name)) ?? null;
}

export function isCallTo(call: { readonly name: string }, name: string): boolean {
  return call.name === name || call.name.endsWith(`__${name}`);
}

/** The calls of a message, in the order that they ran in. */
function endedCalls(message: AIMessage, results: ReadonlyMap<string, ToolMessage>): EndedCall[] {
  const place = (id: string | undefined, index: number) =>
    Number(MOVED.exec(results.get(id ?? '')?.text ?? '')?.[1] ?? index + 1);
  const proposed = (message.tool_calls ?? []).map((call, index) => ({ call, at: place(call.id, index) }));
  return proposed
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ call }) => {
      const result = results.get(call.id ?? '');
      if (!result) return [];
      // What became of a plan is what became of its steps.
      if (isCallTo(call, 'make_plan') && result.status !== 'error') return [];
      const text = result.text.replace(MOVED, '').trim();
      const edited = EDITED.exec(text);
      return [
        {
          name: call.name,
          arguments: edited ? parseArguments(edited[2] ?? '') : toJsonObject(call.args),
          editedBy: edited?.[1] ?? null,
          ...readEnd(text.replace(EDITED, ''), result.status === 'error'),
        },
      ];
    });
}

function readEnd(
  whole: string,
  failed: boolean,
): Pick<EndedCall, 'status' | 'rejection' | 'text' | 'wishes'> {
  const instead = INSTEAD.exec(whole);
  if (instead) {
    const wish = instead[2] ?? '';
    return {
      status: 'rejected',
      rejection: { by: instead[1] ?? '', feedback: wish, isSentBack: false },
      text: '',
      wishes: [wish],
    };
  }
  const wishes = [...whole.matchAll(BESIDES)].map(([, wish = '']) => wish);
  const text = whole.replace(BESIDES, '');
  const rejected = REJECTED.exec(text);
  // A tool's own output may contain these words too; only a call that didn't succeed was rejected.
  const [, end = '', by = '', feedback = ''] = rejected ?? [];
  if (rejected && (failed || text.search(REJECTED) === 0)) {
    return {
      status: 'rejected',
      rejection: { by, feedback: unquoted(feedback), isSentBack: /^sent/i.test(end) },
      text,
      wishes,
    };
  }
  return { status: failed || NOT_DONE.test(text) ? 'not_done' : 'done', rejection: null, text, wishes };
}

function parseArguments(json: string): JsonObject {
  try {
    return toJsonObject(JSON.parse(json));
  } catch {
    return {};
  }
}

function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“](.*)["”]$/s, '$1');
}
