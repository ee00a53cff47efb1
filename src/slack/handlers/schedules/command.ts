import type { KnownBlock } from '@slack/types';
import { type Actor, RefusalError } from '../../../gate/types.ts';
import { isTimeZone } from '../../../presentation/text/time.ts';
import { visible } from '../../../presentation/text/visible.ts';
import {
  LONGEST_TEXT,
  REFUSED,
  readEvery,
  readOnce,
  readReminder,
  readWhen,
  triggerExamples,
  UNREAD,
} from '../../../schedules/index.ts';
import { isDirectChannel, readSlackUser } from '../../ids.ts';
import { madeMessage } from '../../schedules/messages.ts';
import { nameWhere } from '../../schedules/places.ts';
import type { Message } from '../../text/block-kit.ts';
import { SCHEDULE } from '../../texts/schedules.ts';
import { incomingText } from '../message-text.ts';
import type { HandlerPorts } from '../ports.ts';
import { assertPlace } from './place-problem.ts';

/** More than the words of any time, in characters. */
const LONGEST_TIME = 200;

const READERS = { every: readEvery, once: readOnce, remind: readReminder } as const;

/**
 * Carries out `/countersign every …`, `once …`, `when …` and `remind …`: has it run here, or in direct messages where that's typed.
 * @throws RefusalError for words that say no time or nothing that can be found, and where it couldn't run.
 */
export async function scheduleText(
  ports: HandlerPorts,
  command: keyof typeof READERS | 'when',
  { actor, rest, channel }: { readonly actor: Actor; readonly rest: string; readonly channel: string },
): Promise<Message<KnownBlock>> {
  const { directory, clock, bot } = ports;
  // Words that are made to take long are refused before they're read.
  if (rest.length > LONGEST_TEXT + LONGEST_TIME) throw refusal(REFUSED.tooLong(LONGEST_TEXT));
  const words = visible(await incomingText(rest, bot().userId, directory));
  const { timeZone: zone } = await directory.resolverFor([], readSlackUser(actor.id));
  const timeZone = isTimeZone(zone) ? zone : 'UTC';
  const { offered } = ports.schedules;
  const moment = { now: clock(), timeZone };
  const read = command === 'when' ? readWhen(words, offered) : await READERS[command](words, moment);
  if (read.problem !== undefined && command === 'when') {
    throw refusal(SCHEDULE.noTrigger(UNREAD[read.problem], triggerExamples(offered)));
  }
  if (read.problem !== undefined) throw refusal(SCHEDULE.unread(UNREAD[read.problem]));
  const place = isDirectChannel(channel) ? null : channel;
  await assertPlace(ports, { owner: actor, place }, SCHEDULE);
  const { kind, when, text } = read;
  const terms = { kind, when, text, typed: `${command} ${words}`, timeZone, place };
  const made = await ports.schedules.create(terms, actor);
  return madeMessage(made, await nameWhere(made, directory));
}

function refusal(words: string): RefusalError {
  return new RefusalError('not_applicable', words);
}
