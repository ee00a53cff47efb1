/** Where a Slack thread is: what its thread id says. */
export interface SlackThread {
  readonly team: string;
  readonly channel: string;
  readonly threadTs: string;
}

export function slackThreadId({ team, channel, threadTs }: SlackThread): string {
  return `slack:${team}:${channel}:${threadTs}`;
}

/** The id of a thread's channel, as grants keep it: the ids of its threads begin with it. */
export function slackChannelId({ team, channel }: SlackThread): string {
  return `slack:${team}:${channel}`;
}

/** Null for a thread that is not in Slack. */
export function parseSlackThreadId(threadId: string): SlackThread | null {
  const [kind, team, channel, threadTs, ...rest] = threadId.split(':');
  if (kind !== 'slack' || !team || !channel || !threadTs || rest.length > 0) return null;
  return { team, channel, threadTs };
}

/** `slack:{team}:{user}`, as actors are called in the record. */
export function slackActorId(team: string, user: string): string {
  return `slack:${team}:${user}`;
}

/** What Slack calls an event, among the ids of other systems. */
export function slackEventId(eventId: string): string {
  return `slack:${eventId}`;
}

/** The team in the id of an actor from Slack, which is the installation's; null for one that is not. */
export function readSlackTeam(actorId: string): string | null {
  const [kind, team, user] = actorId.split(':');
  return kind === 'slack' && team && user ? team : null;
}

/** Whether an actor is a person in Slack. */
export function isSlackActor({ id }: { readonly id: string }): boolean {
  return readSlackUser(id) !== null;
}

/** The Slack user of an actor, or null for one that is not from Slack. */
export function readSlackUser(actorId: string): string | null {
  const [kind, , user] = actorId.split(':');
  return kind === 'slack' && user ? user : null;
}
