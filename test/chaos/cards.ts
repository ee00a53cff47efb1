import type { Message } from '@countersign/slack-emulator';
import { recordKey } from '../../src/gate/call/digest.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { parseSlackThreadId } from '../../src/slack/ids.ts';
import type { World } from './world.ts';

/** Buttons by which something can be decided, or said of a doubt. */
const DECIDING: readonly string[] = [
  ACTIONS.approve,
  ACTIONS.edit,
  ACTIONS.reject,
  ACTIONS.feedback,
  ACTIONS.more,
];
const SETTLING: readonly string[] = [ACTIONS.happened, ACTIONS.notHappened];

/** Messages of the app in a thread, in order. */
export function saidIn(world: World, threadId: string): readonly Message[] {
  const thread = parseSlackThreadId(threadId);
  if (!thread) return [];
  const { channel, threadTs } = thread;
  return world.workspace.driver
    .messages(channel, { threadTs })
    .filter(({ byApp, ephemeralFor }) => byApp && ephemeralFor === null);
}

/** The messages that show a call, and whether they offer to decide it or to say what happened. */
export function cardsOf(world: World, call: CallRecord) {
  const key = recordKey(call);
  const cards = saidIn(world, call.threadId).filter(({ blocks }) =>
    blocks.some((block) => block.block_id === `title:${key}`),
  );
  return cards.map((message) => ({
    message,
    decidable: offersAny(message, key, DECIDING),
    settleable: offersAny(message, key, SETTLING),
  }));
}

/** The newest message of a thread that lists what waits and offers to review it. */
export function reviewedIn(world: World, threadId: string): Message | undefined {
  return saidIn(world, threadId).findLast(({ blocks }) =>
    blocks
      .filter((block) => String(block.block_id).startsWith('request-actions:'))
      .flatMap(elementsOf)
      .some((element) => element.action_id === ACTIONS.review),
  );
}

function offersAny({ blocks }: Message, key: string, actions: readonly string[]): boolean {
  return blocks
    .filter((block) => block.block_id === `call:${key}`)
    .flatMap(elementsOf)
    .some((element) => actions.includes(String(element.action_id)));
}

function elementsOf(block: JsonObject): readonly JsonObject[] {
  const { elements } = block;
  return Array.isArray(elements) ? elements.filter(isObject) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
