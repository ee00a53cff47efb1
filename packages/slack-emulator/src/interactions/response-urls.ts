import { SlackRefusal } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { readContent } from '../web-api/chat.ts';
import { addMessage, changeMessage, findMessage, removeMessage } from '../workspace/messages.ts';
import type { Workspace } from '../workspace/types.ts';

const MOST_USES = 5;
const LIFETIME_MS = 30 * 60_000;
const TEXT_CHARACTERS = 40_000;

interface ResponseTarget {
  readonly user: string;
  readonly channel: string;
  readonly threadTs: string | null;
  /** The message that the interaction came from; null for a command. */
  readonly messageTs: string | null;
}

export interface ResponseUrls {
  /** A new address to which the app may answer 5 times within 30 minutes. */
  issue(target: ResponseTarget): string;
  /** What the app sent to such an address. Throws `expired_url`, `used_url`, and what the message's checks throw. */
  respond(path: string, body: JsonObject): void;
}

/** Answers by `response_url`: ephemeral unless `in_channel`, replacing or deleting the source message on demand. */
export function createResponseUrls(workspace: Workspace): ResponseUrls {
  const issued = new Map<string, ResponseTarget & { readonly at: number; uses: number }>();
  return {
    issue: (target) => {
      const path = `/actions/${workspace.team.id}/${workspace.newId('')}/${workspace.newId('')}`;
      issued.set(path, { ...target, at: workspace.clock.now(), uses: 0 });
      return `${workspace.baseUrl()}${path}`;
    },
    respond: (path, body) => {
      const target = issued.get(path);
      if (target === undefined || workspace.clock.now() - target.at > LIFETIME_MS)
        throw new SlackRefusal('expired_url');
      if (target.uses >= MOST_USES) throw new SlackRefusal('used_url');
      target.uses += 1;
      showAnswer(workspace, target, body);
    },
  };
}

/** Shows what the app answered, be it to a `response_url` or in the ack of a command. */
export function showAnswer(workspace: Workspace, target: ResponseTarget, body: JsonObject): void {
  const source =
    target.messageTs === null ? undefined : findMessage(workspace, target.channel, target.messageTs);
  if (body.delete_original === true) {
    if (source !== undefined) removeMessage(workspace, source);
    return;
  }
  const { text, blocks } = readContent(workspace, body, TEXT_CHARACTERS);
  const shown = { text: text ?? '', blocks: blocks ?? [] };
  if (body.replace_original === true && source !== undefined) {
    changeMessage(workspace, source, {
      ...shown,
      edited: { user: workspace.app.botUserId, ts: workspace.nextTs() },
    });
    return;
  }
  const threadTs = typeof body.thread_ts === 'string' ? body.thread_ts : null;
  addMessage(workspace, {
    channel: target.channel,
    user: workspace.app.botUserId,
    byApp: true,
    threadTs: threadTs ?? target.threadTs,
    ephemeralFor: body.response_type === 'in_channel' ? null : target.user,
    metadata: isJsonObject(body.metadata) ? body.metadata : null,
    ...shown,
  });
}
