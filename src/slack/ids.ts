/** The location of a Slack thread, as its thread id encodes it. */
export interface SlackThread {
  readonly team: string;
  readonly channel: string;
  readonly threadTs: string;
}

export function slackThreadId({ team, channel, threadTs }: SlackThread): string {
  return `slack:${team}:${channel}:${threadTs}`;
}

/** The channel's id, as grants store it: a prefix of its threads' ids. */
export function slackChannelId({ team, channel }: Omit<SlackThread, 'threadTs'>): string {
  return `slack:${team}:${channel}`;
}

/** Parses a thread id; null for a thread that isn't in Slack. */
export function parseSlackThreadId(threadId: string): SlackThread | null {
  const [kind, team, channel, threadTs, ...rest] = threadId.split(':');
  if (kind !== 'slack' || !team || !channel || !threadTs || rest.length > 0) return null;
  return { team, channel, threadTs };
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
