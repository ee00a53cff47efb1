/** Where the messages of a thread go, as its thread id encodes it. */
interface SlackPlace {
  readonly team: string;
  /** A person's id stands for the direct messages with them. */
  readonly channel: string;
}

/** The location of a Slack thread, as its thread id encodes it. */
export interface SlackThread extends SlackPlace {
  readonly threadTs: string;
  /** What sets a thread apart that answers a message beside another one, in the same place; absent for all others. */
  readonly beside?: string;
}

/** Stands before what sets a thread apart that answers a message beside another, in the other's id. */
const BESIDE_SEPARATOR = '~';

/** What stands in place of a timestamp in the thread id of a program's call, whose card begins a thread. */
const CALL_PREFIX = 'call-';

export function slackThreadId({ team, channel, threadTs, beside }: SlackThread): string {
  const apart = beside === undefined ? '' : `${BESIDE_SEPARATOR}${beside}`;
  return `slack:${team}:${channel}:${threadTs}${apart}`;
}

/** The thread id of a program's call, whose card is posted to this place. `name` holds no colon. */
export function slackCallThreadId(place: SlackPlace, name: string): string {
  return slackThreadId({ ...place, threadTs: `${CALL_PREFIX}${name}` });
}

/** The channel's id, as grants store it: a prefix of its threads' ids. */
export function slackChannelId({ team, channel }: SlackPlace): string {
  return `slack:${team}:${channel}`;
}

/** Parses a thread id; null for one that isn't of a thread in Slack, such as of a program's call. */
export function parseSlackThreadId(threadId: string): SlackThread | null {
  const place = parse(threadId);
  return place?.threadTs.startsWith(CALL_PREFIX) ? null : place;
}

/** Where the messages of a thread go; null for one that isn't shown in Slack. */
export function parseSlackPlace(threadId: string): SlackPlace | null {
  return parse(threadId);
}

function parse(threadId: string): SlackThread | null {
  const [kind, team, channel, where, ...rest] = threadId.split(':');
  const [threadTs, ...besides] = where?.split(BESIDE_SEPARATOR) ?? [];
  if (kind !== 'slack' || !team || !channel || !threadTs || rest.length > 0) return null;
  const place = { team, channel, threadTs };
  return besides.length === 0 ? place : { ...place, beside: besides.join(BESIDE_SEPARATOR) };
}

/** Whether a channel is somebody's direct messages with the app, by its id or by the person's. */
export function isDirectChannel(channel: string): boolean {
  return channel.startsWith('D') || isPersonId(channel);
}

/** Whether an id is a person's, and not a channel's. */
export function isPersonId(id: string): boolean {
  return /^[UW]/.test(id);
}

/** The actor id of a Slack user: `slack:{team}:{user}`. */
export function slackActorId(team: string, user: string): string {
  return `slack:${team}:${user}`;
}

/** The id of a Slack event, distinct from other systems' ids. */
export function slackEventId(eventId: string): string {
  return `slack:${eventId}`;
}

/** The team in a Slack actor's id, which is the installation's; null for other actors. */
export function readSlackTeam(actorId: string): string | null {
  const [kind, team, user] = actorId.split(':');
  return kind === 'slack' && team && user ? team : null;
}

/** Whether an actor comes from Slack. */
export function isSlackActor({ id }: { readonly id: string }): boolean {
  return readSlackUser(id) !== null;
}

/** The Slack user of an actor; null for actors from elsewhere. */
export function readSlackUser(actorId: string): string | null {
  const [kind, , user] = actorId.split(':');
  return kind === 'slack' && user ? user : null;
}
