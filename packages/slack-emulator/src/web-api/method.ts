import { SlackRefusal } from '../errors.ts';
import type { Triggers } from '../interactions/triggers.ts';
import type { JsonObject } from '../json.ts';
import { findMessage } from '../workspace/messages.ts';
import type { OpenId } from '../workspace/open-id.ts';
import type { Channel, Message, Workspace } from '../workspace/types.ts';
import { directChannel, findChannel } from '../workspace/workspace.ts';
import type { Arguments } from './arguments.ts';

/** What the methods of the Web API work with. */
export interface MethodContext {
  readonly workspace: Workspace;
  readonly triggers: Triggers;
  /** A new address for a Socket Mode connection. */
  readonly openSocket: () => string;
  readonly openId: OpenId;
  /** Where the bytes of a new file are to be sent. */
  readonly uploadUrl: (fileId: string) => string;
  /** After how long without an addition a stream ends, in milliseconds. */
  readonly streamIdleMs: number;
  /** Methods that this workspace doesn't have: `unknown_method`. */
  readonly missingMethods: readonly string[];
  /** Resolves when what has changed is kept over a kill, where it is kept at all. */
  readonly saved: () => Promise<void>;
}

export interface Method {
  /**
   * `person`: of somebody who signed in with Slack; `configuration`: for manifests, `xoxe.…`; `none`: the method
   * asks for something else.
   */
  readonly token: 'bot' | 'app' | 'person' | 'configuration' | 'none';
  /** The scope that the call needs; some depend on what it is about. */
  readonly scope?: string | ((context: MethodContext, args: Arguments) => string | undefined);
  /** Answers what stands beside `ok: true`. Throws SlackRefusal. */
  readonly run: (context: MethodContext, args: Arguments) => JsonObject | Promise<JsonObject>;
}

export type Methods = Readonly<Record<string, Method>>;

/** The channel that an id, a name or a person's id stands for. Throws `channel_not_found`. */
export function channelFor(workspace: Workspace, idOrName: string): Channel {
  const channel = /^[UW]/.test(idOrName)
    ? directChannel(workspace, idOrName)
    : findChannel(workspace, idOrName);
  if (channel === undefined) throw new SlackRefusal('channel_not_found');
  return channel;
}

/** Like `channelFor`, and the app must be in it. Throws `not_in_channel`. */
export function joinedChannel(workspace: Workspace, idOrName: string): Channel {
  const channel = channelFor(workspace, idOrName);
  if (!channel.members.includes(workspace.app.botUserId)) throw new SlackRefusal('not_in_channel');
  return channel;
}

/**
 * Like `joinedChannel`, for what changes something there: an archived channel can only be read. Throws `archived`,
 * which is `is_archived` for most methods.
 */
export function openChannel(workspace: Workspace, idOrName: string, archived = 'is_archived'): Channel {
  const channel = joinedChannel(workspace, idOrName);
  if (channel.isArchived) throw new SlackRefusal(archived);
  return channel;
}

/** A message that the app can see. Throws `message_not_found`. */
export function visibleMessage(workspace: Workspace, channel: Channel, ts: string): Message {
  const message = findMessage(workspace, channel.id, ts);
  if (message === undefined || message.ephemeralFor !== null) throw new SlackRefusal('message_not_found');
  return message;
}

/** The first message's ts of the thread that a reply goes to. Throws `thread_not_found`, `cannot_reply_to_message`. */
export function threadFor(
  workspace: Workspace,
  channel: Channel,
  threadTs: string | undefined,
): string | null {
  if (threadTs === undefined || threadTs === '') return null;
  const parent = findMessage(workspace, channel.id, threadTs);
  if (parent === undefined) throw new SlackRefusal('thread_not_found');
  if (parent.ephemeralFor !== null) throw new SlackRefusal('cannot_reply_to_message');
  return parent.threadTs ?? parent.ts;
}

const SCOPE_FAMILIES = { channel: 'channels', im: 'im', mpim: 'mpim' } as const;

/** The scope for reading about a channel: `<kind>:history` or `<kind>:read`, by what kind it is. */
export function scopeByKind(right: 'history' | 'read'): NonNullable<Method['scope']> {
  return ({ workspace }, args) => {
    const channel = findChannel(workspace, String(args.channel ?? ''));
    return `${SCOPE_FAMILIES[channel?.kind ?? 'channel']}:${right}`;
  };
}
