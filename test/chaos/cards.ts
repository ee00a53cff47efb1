import type { Message } from '@countersign/slack-emulator';
import { recordKey } from '../../src/gate/call/digest.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { parseSlackPlace, parseSlackThreadId } from '../../src/slack/ids.ts';
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

/** Messages of the app in a thread, in order; of a program's call, those of its channel. */
export function saidIn(world: World, threadId: string): readonly Message[] {
  const place = parseSlackPlace(threadId);
  // Of a call for a person that needs nobody's word, nothing is posted anywhere.
  if (!place || place.channel.startsWith('U')) return [];
  const thread = parseSlackThreadId(threadId);
  return world.workspace.driver
    .messages(place.channel, thread === null ? {} : { threadTs: thread.threadTs })
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

/** The messages that only list a call, among others, and whether they offer to review what waits. */
export function listsOf(world: World, call: CallRecord) {
  const key = recordKey(call);
  return saidIn(world, call.threadId)
    .map((message) => ({ message, elements: message.blocks.flatMap(elementsOf) }))
    .filter(({ elements }) => elements.some((element) => optionValues(element).includes(key)))
    .map(({ message, elements }) => ({
      message,
      reviewable: elements.some((element) => element.action_id === ACTIONS.review),
    }));
}

function optionValues({ action_id, options }: JsonObject): readonly string[] {
  if (action_id !== ACTIONS.openOne || !Array.isArray(options)) return [];
  return options.filter(isObject).map(({ value }) => String(value));
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
