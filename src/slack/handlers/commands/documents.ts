import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { type Actor, RefusalError } from '../../../gate/types.ts';
import { channelReader, EVERYBODY } from '../../../knowledge/ports.ts';
import { randomId } from '../../../lib/clock.ts';
import { hasCredentials } from '../../../lib/net/safe-url.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { readPlatformError } from '../../client/api-errors.ts';
import { documentList, forgetChoice } from '../../documents/document-blocks.ts';
import { nameReader, readerHere } from '../../documents/readers.ts';
import { slackFileSchema } from '../../documents/slack-file.ts';
import { isDirectChannel, slackChannelId } from '../../ids.ts';
import type { Message } from '../../text/block-kit.ts';
import { FORGET, LEARN } from '../../texts/documents.ts';
import type { HandlerPorts } from '../ports.ts';

/** How many documents a command lists: a message holds some 13,000 characters, those of confirmations too. */
const LISTED = 25;
const SHOWN = 100;

/** `https://team.slack.com/files/U1/F1/report.pdf`, as Slack copies the link to a file; also the local workspace's. */
const FILE_LINK = /\/files\/(?:[UW][A-Z0-9]+\/)?(F[A-Z0-9]+)/;
/** `/archives/C1/p1700000000000100?thread_ts=1700000000.000100`, as Slack copies the link to a message. */
const MESSAGE_LINK = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:\S*[?&;]thread_ts=(\d{10}\.\d{6}))?/;

const fileSchema = slackFileSchema.extend({
  user: z.string().nullish(),
  channels: z.array(z.string()).nullish(),
  groups: z.array(z.string()).nullish(),
  ims: z.array(z.string()).nullish(),
});

/** The answer to `/countersign documents`: what one may read here. */
export async function documentsText(
  { documents, bot }: Pick<HandlerPorts, 'documents' | 'bot'>,
  actor: Actor,
  channel: string,
): Promise<Message<KnownBlock>> {
  return documentList(await documents.list(actor.id, { ...listedHere(bot, channel), most: LISTED }));
}

/** In a channel its own documents, and elsewhere those of all channels that somebody is in. */
function listedHere(bot: HandlerPorts['bot'], channel: string): { readonly channel?: string } {
  if (isDirectChannel(channel)) return {};
  return { channel: channelReader(slackChannelId({ team: bot().teamId, channel })) };
}

/** The answer to `/countersign forget`: what would be deleted, with the button that does it. */
export async function forgetText(
  { documents, bot, isAdmin }: Pick<HandlerPorts, 'documents' | 'bot' | 'isAdmin'>,
  actor: Actor,
  given: string,
  channel: string,
): Promise<Message<KnownBlock>> {
  const wanted = unwrap(given);
  if (wanted === '') return plainLine(FORGET.how);
  const [all, mayAll] = await Promise.all([
    documents.list(actor.id, { ...listedHere(bot, channel), most: Number.MAX_SAFE_INTEGER }),
    isAdmin(actor.id),
  ]);
  const name = wanted.toLowerCase();
  const meant = all.documents.filter(
    (one) =>
      (one.isOwn || (mayAll && one.isGiven)) &&
      (one.name.toLowerCase() === name || isLinkTo(wanted, one.link)),
  );
  // What isn't there and what somebody may not read are told in the same words.
  if (meant.length === 0) return plainLine(FORGET.none(shown(wanted)));
  return forgetChoice(meant.slice(0, LISTED));
}

/** The answer to `/countersign learn`: that what a link leads to is being fetched, and who will be able to ask for it. */
export async function learnText(
  ports: HandlerPorts,
  actor: Actor,
  given: string,
  channel: string,
): Promise<string> {
  const [, link = '', forAll] = /^(.*?)(\s+for\s+everybody)?$/is.exec(given.trim()) ?? [];
  const url = unwrap(link);
  if (!URL.canParse(url)) return url === '' ? LEARN.how : LEARN.noLink(shown(url));
  // Before anything is kept or fetched.
  if (hasCredentials(url)) return LEARN.credentials;
  if (forAll !== undefined && !(await ports.isAdmin(actor.id))) return LEARN.onlyAdmins;
  const reader = forAll === undefined ? readerHere(actor, { team: ports.bot().teamId, channel }) : EVERYBODY;
  const sources = await findSources(ports, url, { channel, user: actor.id.split(':')[2] ?? '' });
  if (sources.length === 0) return LEARN.nothing;
  await ports.intake.learn(sources, { id: randomId(), requester: actor, reader });
  const place = isDirectChannel(channel) ? 'direct' : 'channel';
  return LEARN.fetching(await nameReader(reader, ports.directory), sources.length, place);
}

interface Asker {
  readonly channel: string;
  readonly user: string;
}

type Sources = Parameters<HandlerPorts['intake']['learn']>[0];

/**
 * What a link leads to. The app sees more of Slack than whoever asks: so only files of theirs, or that were shared in the
 * conversation where they ask.
 */
async function findSources({ client, bot }: HandlerPorts, url: string, asker: Asker): Promise<Sources> {
  const { hostname } = new URL(url);
  const [, fileId] = FILE_LINK.exec(url) ?? [];
  const [, channel, seconds, fraction, thread] = MESSAGE_LINK.exec(url) ?? [];
  const isOfSlack = /(?:^|\.)slack(?:-gov)?\.com$/.test(hostname) || isOwn(url, client.slackApiUrl);
  if (!isOfSlack || bot().teamId === '') return [{ source: { kind: 'web', url }, name: url }];
  if (fileId !== undefined) {
    const { file } = await client.files.info({ file: fileId }).catch(toRefusal);
    const known = fileSchema.safeParse(file).data;
    const places = [...(known?.channels ?? []), ...(known?.groups ?? []), ...(known?.ims ?? [])];
    if (!known || (known.user !== asker.user && !places.includes(asker.channel))) return [];
    return [{ source: { kind: 'file', fileId }, name: '' }];
  }
  if (channel !== asker.channel) return [];
  const ts = `${seconds}.${fraction}`;
  const from = { channel, ts: thread ?? ts, oldest: ts, latest: ts, inclusive: true, limit: 2 };
  const { messages = [] } = await client.conversations.replies(from).catch(toRefusal);
  const files = z.array(slackFileSchema).safeParse(messages.find((it) => it.ts === ts)?.files ?? []).data;
  return (files ?? []).map(({ id }) => ({ source: { kind: 'file', fileId: id }, name: '' }));
}

function isOwn(url: string, apiUrl: string): boolean {
  return new URL(url).origin === new URL(apiUrl).origin;
}

/** Slack's own no, in words; anything else is thrown on. */
function toRefusal(error: unknown): never {
  const refusal = readPlatformError(error);
  if (refusal === null) throw error;
  throw new RefusalError('not_allowed', refusal === 'missing_scope' ? LEARN.noScope : LEARN.nothing);
}

/** A link without the brackets and the label that Slack puts around it. */
function unwrap(given: string): string {
  const bare = given.trim();
  return /^<(.+?)(?:\|[^>]*)?>$/.exec(bare)?.[1] ?? bare;
}

function isLinkTo(wanted: string, link: string | null): boolean {
  if (link === null) return false;
  const [, fileId] = FILE_LINK.exec(wanted) ?? [];
  return wanted === link || (fileId !== undefined && FILE_LINK.exec(link)?.[1] === fileId);
}

function shown(words: string): string {
  return clip(oneLine(visible(words)), SHOWN);
}
