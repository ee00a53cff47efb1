import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { PeopleDirectory } from '../../gate/types.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { MailboxItem, Runs } from '../../runs/index.ts';
import { BLIND } from '../../schedules/index.ts';
import type { Occurrence, Schedule, SchedulePlaces } from '../../schedules/ports.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { isDirectChannel, readSlackUser, slackCallThreadId, slackThreadId } from '../ids.ts';
import { findArrived, post, remove } from '../outbox/slack-messages.ts';
import type { AgentChoice } from '../people/agent-choice.ts';
import type { Directory } from '../people/directory.ts';
import { findOwnerProblem } from '../people/owner-place.ts';
import type { BotIdentity } from '../people/types.ts';
import { DROPPED, ENDED, PAUSED, SCHEDULES, UNHEARD } from '../texts/schedules.ts';
import { describeSchedule, occurrenceMessage } from './messages.ts';

interface PlacesPorts {
  readonly client: WebClient;
  readonly people: Pick<PeopleDirectory, 'standing' | 'belongs'>;
  readonly directory: Pick<Directory, 'channelName'>;
  readonly agents: Pick<AgentChoice, 'find'>;
  readonly runs: Pick<Runs, 'receive'> & {
    readonly item: (itemId: string) => Promise<Pick<MailboxItem, 'threadId'> | null>;
  };
  readonly bot: BotIdentity;
  /** Slack users whom the operator named as admins. */
  readonly admins: readonly string[];
  readonly log: { warn(details: object, message: string): void };
}

/** Whether the app is in it (docs.slack.dev/reference/objects/conversation-object); left out for some kinds. */
const infoSchema = z.object({ is_member: z.boolean().optional() });

/** In Slack: in the channel where the command was typed, or in the direct messages of its owner. */
export function createSchedulePlaces(ports: PlacesPorts): SchedulePlaces {
  const { client, runs, agents, bot } = ports;

  /** A thread of its own, which has no message yet. */
  function unopened({ schedule, dueAt }: Occurrence) {
    const channel = schedule.place ?? readSlackUser(schedule.owner.id) ?? '';
    const name = `${schedule.id}-${dueAt}`;
    return { channel, threadId: slackCallThreadId({ team: bot().teamId, channel }, name), at: dueAt };
  }

  const toItemId = ({ schedule, dueAt }: Occurrence) =>
    `slack:${bot().teamId}:schedule:${schedule.id}:${dueAt}`;
  const toThread = (opened: { readonly channel: string; readonly ts: string }) => ({
    ...{ team: bot().teamId, channel: opened.channel, threadTs: opened.ts },
  });

  return {
    check: (schedule) => findOwnerProblem(ports, schedule),

    async open(occurrence, { mayBePosted }) {
      const row = unopened(occurrence);
      const key = toItemId(occurrence);
      const arrived = mayBePosted ? await findArrived(client, row, key) : null;
      if (arrived !== null) return arrived;
      try {
        return await post(client, row, key, occurrenceMessage(occurrence), null);
      } catch (error) {
        if (classifyFailure(error).kind === 'closed') return null;
        throw error;
      }
    },

    async begin(occurrence, opened, also) {
      const { owner } = occurrence.schedule;
      const thread = toThread(opened);
      const isDm = isDirectChannel(thread.channel);
      const message = {
        threadId: slackThreadId(thread),
        graph: await agents.find({ channel: thread.channel, isDm }),
        surface: { kind: 'slack', ...thread, isDm },
        itemId: toItemId(occurrence),
        actor: owner,
        text: occurrence.schedule.text,
        ...(occurrence.news && { data: occurrence.news.data }),
        // They didn't say it now: nothing is learned of them from it.
        words: '',
        at: Math.floor(Number(thread.threadTs) * 1_000),
      };
      return runs.receive(message, also);
    },

    async takeBack(occurrence, opened) {
      if (occurrence.schedule.kind === 'reminder') return;
      const begun = await runs.item(toItemId(occurrence));
      if (begun?.threadId !== slackThreadId(toThread(opened))) await remove(client, opened);
    },

    ...createTellers(ports),
  };
}

/** Tells people what has become of a schedule. */
function createTellers({
  client,
  directory,
  admins,
  log,
}: PlacesPorts): Pick<SchedulePlaces, 'tellEnded' | 'tellTrouble'> {
  async function tell(people: readonly string[], words: string): Promise<void> {
    for (const user of people) {
      await client.chat.postMessage({ channel: user, ...plainLine(words) }).catch((error: unknown) => {
        log.warn({ error: errorMessage(error) }, 'failed to tell somebody what became of a schedule');
      });
    }
  }
  const describe = async (schedule: Schedule) =>
    describeSchedule(schedule, await nameWhere(schedule, directory));
  const findOwner = ({ owner }: Schedule) => [readSlackUser(owner.id) ?? []].flat();
  return {
    async tellEnded(schedule, why) {
      const people = why === 'owner_left' ? admins : findOwner(schedule);
      await tell(people, ENDED[why](await describe(schedule)));
    },

    async tellTrouble(troubled, trouble) {
      const [first] = troubled;
      if (first === undefined) return;
      const server = first.when.kind === 'trigger' ? first.when.server : '';
      const all = await Promise.all(troubled.map(describe));
      const words =
        trouble.why === 'dropped'
          ? DROPPED(all.join('; '))
          : trouble.why === 'silent'
            ? UNHEARD(all.join('; '), server)
            : PAUSED(all, BLIND[trouble.why](server, trouble.said));
      await tell(findOwner(first), words);
    },
  };
}

/** Where a schedule runs, in words. */
export async function nameWhere(
  { place }: Pick<Schedule, 'place'>,
  { channelName }: Pick<Directory, 'channelName'>,
): Promise<string> {
  if (place === null) return SCHEDULES.direct;
  return SCHEDULES.inChannel((await channelName(place)) ?? SCHEDULES.aChannel);
}

/** Whether the app is in a channel, so that it can post there. Rejects where Slack doesn't say. */
export async function hasBot(client: WebClient, channel: string): Promise<boolean> {
  try {
    const { channel: info } = await client.conversations.info({ channel });
    return infoSchema.parse(info).is_member !== false;
  } catch (error) {
    if (classifyFailure(error).kind === 'closed') return false;
    throw error;
  }
}
