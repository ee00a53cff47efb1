import type { KnownBlock } from '@slack/types';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../../gate/types.ts';
import { RefusalError } from '../../../gate/types.ts';
import type { Notebook, NotebookFile } from '../../../notebook/ports.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { readPlatformError } from '../../client/api-errors.ts';
import { requestUpload, upload } from '../../client/upload.ts';
import { isDirectChannel, parseSlackThreadId, slackThreadId } from '../../ids.ts';
import { type Message, richText, section, text } from '../../text/block-kit.ts';
import { NOTEBOOK } from '../../texts/commands.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { refusalText } from '../refusals.ts';
import { onClick } from '../register.ts';
import { notebookList, notebookPosted } from './notebook-messages.ts';

/** The most of a person's calls that are looked at for their conversations, and of those the most that are listed. */
const READ = 1_000;
const LISTED = 10;

/**
 * The most files of one message. Slack answers `internal_error` to more than 14.
 * @see https://github.com/slackapi/python-slack-sdk/issues/1653
 */
const FILES_AT_ONCE = 10;

/** How long after a notebook was posted a second click of the same person counts as one of a double click, in milliseconds. */
const TWICE_MS = 3_000;

/** An address of a message, as Slack copies it: `/archives/C1/p1700000000000100?thread_ts=1700000000.000100`. */
const LINK = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:\S*[?&;]thread_ts=(\d{10}\.\d{6}))?/;
/** The address of a thread that is open in the local workspace: `#U1/C1/1700000000.000100`. */
const LOCAL_LINK = /#(?:[UW][A-Z0-9]+)?\/([CDG][A-Z0-9]+)\/(\d{10}\.\d{6})/;
/** How much is shown of what is no link, in characters. */
const SHOWN = 100;

/**
 * The answer to `/countersign notebook`: posts the notebook of the only conversation here in which something was called for
 * this person, or of the one that a link leads to. Of several it lists them, because Slack doesn't say in which thread a
 * command was typed; where there is none here, those elsewhere.
 * @see https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling
 */
export async function notebookText(
  ports: HandlerPorts,
  actor: Actor,
  given: string,
  channel: string,
): Promise<Message<KnownBlock>> {
  if (given.trim() !== '') {
    const threadId = readLink(ports, given);
    if (threadId === null) return plainLine(NOTEBOOK.noLink(clip(oneLine(visible(given.trim())), SHOWN)));
    return postNotebook(ports, actor, threadId);
  }
  const calls = await ports.gate.calls.requestedBy(actor.id, READ);
  const all = [...new Set(calls.map(({ threadId }) => threadId))].filter(isConversation);
  const here = all.filter((threadId) => parseSlackThreadId(threadId)?.channel === channel);
  const [only, ...others] = here;
  if (only !== undefined && others.length === 0) return postNotebook(ports, actor, only);
  const offered = here.length > 0 ? here : all;
  if (offered.length === 0) return plainLine(NOTEBOOK.none);
  const listed = offered.slice(0, LISTED).map(async (threadId) => {
    const [first] = await ports.runs.messages(threadId, 1);
    return { threadId, words: first?.text ?? '', url: ports.threadUrl(threadId) };
  });
  const title = here.length > 0 ? NOTEBOOK.which : NOTEBOOK.noneHere;
  return notebookList(title, await Promise.all(listed), offered.length > LISTED);
}

/** Handles the buttons of the list of conversations. */
export function registerNotebooks(on: Listeners, ports: HandlerPorts): void {
  /** The clicks that are being done, or just were, by who clicked for which conversation. */
  const clicks = new LRUCache<string, true>({ max: 1_000, ttlResolution: 0, perf: { now: ports.clock } });

  onClick(on, ports, ACTIONS.notebook, async (click, actor) => {
    const threadId = clickedValue(click);
    const { channel, user } = click;
    const clicked = `${user.id} ${threadId}`;
    if (clicks.has(clicked)) return;
    clicks.set(clicked, true);
    const answered = postNotebook(ports, actor, threadId)
      .then((message) => {
        clicks.set(clicked, true, { ttl: TWICE_MS });
        return message;
      })
      .catch((error: unknown) => {
        clicks.delete(clicked);
        return plainLine(refusalText(error));
      })
      .then((message) =>
        channel ? ports.client.chat.postEphemeral({ channel: channel.id, user: user.id, ...message }) : null,
      );
    // Files take longer than Slack waits for a click.
    void bestEffort(ports, answered);
  });
}

/** Whether a thread is in Slack, and not beside another one. */
function isConversation(threadId: string): boolean {
  return parseSlackThreadId(threadId)?.beside === undefined && parseSlackThreadId(threadId) !== null;
}

function readLink({ bot }: HandlerPorts, given: string): string | null {
  const team = bot().teamId;
  const [, place, ts] = LOCAL_LINK.exec(given) ?? [];
  if (place !== undefined && ts !== undefined) return slackThreadId({ team, channel: place, threadTs: ts });
  const [, channel, seconds, fraction, threadTs] = LINK.exec(given) ?? [];
  if (channel === undefined) return null;
  return slackThreadId({ team, channel, threadTs: threadTs ?? `${seconds}.${fraction}` });
}

/**
 * Posts a conversation's notebook into its thread: whoever reads that may read it.
 * @throws RefusalError for somebody who took no part in it, unless they are an admin and it's no direct message; for people of
 * other organisations also where anybody else wrote or asked for something in it.
 */
async function postNotebook(
  ports: HandlerPorts,
  actor: Actor,
  threadId: string,
): Promise<Message<KnownBlock>> {
  const thread = parseSlackThreadId(threadId);
  if (thread === null || !(await mayRead(ports, actor, threadId))) {
    throw new RefusalError('not_allowed', NOTEBOOK.notYours);
  }
  const isDirect = isDirectChannel(thread.channel);
  const notebook = await ports.notebooks.write(threadId, { by: actor, reader: isDirect ? actor : null });
  if (notebook === null) throw new RefusalError('not_allowed', NOTEBOOK.notYours);
  const place = { channel_id: thread.channel, thread_ts: thread.threadTs };
  try {
    await postFiles(ports, notebook, place);
  } catch (error) {
    ports.log.warn({ err: error }, 'failed to post a notebook');
    const isScopeMissing = readPlatformError(error) === 'missing_scope';
    throw new RefusalError('not_applicable', isScopeMissing ? NOTEBOOK.noScope : NOTEBOOK.cannotPost);
  }
  return notebookPosted(notebook.title, ports.threadUrl(threadId));
}

async function mayRead({ notebooks, isAdmin, people }: HandlerPorts, actor: Actor, threadId: string) {
  const standing = await people.standing(actor, threadId, { fresh: false });
  if (standing === 'stranger') return notebooks.isOwn(threadId, actor);
  if (await notebooks.tookPart(threadId, actor)) return true;
  const isDirect = isDirectChannel(parseSlackThreadId(threadId)?.channel ?? '');
  return !isDirect && isAdmin(actor.id);
}

async function postFiles(
  { client }: Pick<HandlerPorts, 'client'>,
  { title, page, files, problems }: Notebook,
  place: { readonly channel_id: string; readonly thread_ts: string },
): Promise<void> {
  const all = [page, ...files].filter(({ content }) => content.length > 0);
  const words = NOTEBOOK.comment(oneLine(visible(title)), problems);
  for (let from = 0; from < all.length; from += FILES_AT_ONCE) {
    const [first, ...others] = await Promise.all(
      all.slice(from, from + FILES_AT_ONCE).map((file) => uploadFile(client, file)),
    );
    if (first === undefined) return;
    await client.files.completeUploadExternal({
      files: [first, ...others],
      ...place,
      // Not as a comment, in which what people wrote would be formatted.
      ...(from === 0 ? { blocks: [richText('notebook', section(text(words)))] } : {}),
    });
  }
}

async function uploadFile(client: HandlerPorts['client'], { name, title, content }: NotebookFile) {
  const { id, url } = await requestUpload(client, { name, content });
  await upload(url, content);
  return { id, title };
}
