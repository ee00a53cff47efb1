import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Actor } from '../../../gate/types.ts';
import { RefusalError } from '../../../gate/types.ts';
import { withTimeout } from '../../../lib/timeout.ts';
import type { ServerPrompt } from '../../../mcp/ports.ts';
import { sentence } from '../../../presentation/outcome-text.ts';
import { clip, oneLine, pieces } from '../../../presentation/text/clip.ts';
import { plainTitle } from '../../../presentation/text/title.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { MODALS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { slackThreadId } from '../../ids.ts';
import { readModalKeys } from '../../modals/modal.ts';
import { promptModal, promptTitle, readPromptForm } from '../../modals/prompt.ts';
import { toActor } from '../../people/actor.ts';
import { bold, context, type Message, preformatted, richText, section } from '../../text/block-kit.ts';
import { listMessage } from '../../text/list-message.ts';
import { PROMPT } from '../../texts/commands.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import type { HandlerPorts } from '../ports.ts';
import { refusalText, refusalTitle, textModal } from '../refusals.ts';
import { fieldErrors, onSubmit } from '../register.ts';

/** Characters of the list, and of what is said about one prompt in it. */
const LIST_LENGTH = 2_800;
const ABOUT_LENGTH = 120;
/** Characters of a prompt's text in one block. */
const BLOCK_LENGTH = 2_800;
/** How long a form may take to be answered, in milliseconds; Slack waits 3 s. The prompt is used all the same. */
const ANSWER_MS = 2_000;

/** The answer to `/countersign prompt`: the prompts that this person may use. */
export async function promptList(ports: HandlerPorts, actor: Actor): Promise<Message<KnownBlock>> {
  const prompts = await ports.prompts.list(actor);
  if (prompts.length === 0) return plainLine(PROMPT.none);
  const lines = clip(prompts.map(promptLine).join('\n'), LIST_LENGTH);
  return listMessage(PROMPT.title, [richText('prompts', preformatted(lines)), context('how', PROMPT.how)]);
}

function promptLine(prompt: ServerPrompt): string {
  const args = prompt.arguments.map(({ name, required }) => PROMPT.argument(name, required));
  const line = PROMPT.line({
    call: [prompt.server, prompt.name, ...(args.length > 0 ? [`(${args.join(', ')})`] : [])].join(' '),
    title: plainTitle(prompt.title),
    about: clip(prompt.description ?? '', ABOUT_LENGTH),
  });
  return oneLine(visible(line));
}

interface ChosenPrompt {
  readonly server: string;
  readonly name: string;
  /** Where the command was typed. */
  readonly channel: string;
  readonly triggerId: string;
}

/** Handles `/countersign prompt <server> <name>`. The form opens at once, since a trigger is valid for 3 s. */
export async function openPrompt(
  ports: HandlerPorts,
  { server, name, channel, triggerId }: ChosenPrompt,
  user: string,
): Promise<void> {
  const waiting = textModal(PROMPT.title, PROMPT.waiting);
  const opened = openedSchema.parse(await ports.client.views.open({ trigger_id: triggerId, view: waiting }));
  const view = await toActor(ports, user)
    .then((actor) => ports.prompts.find(server, name, actor))
    .then((prompt) => promptModal(prompt, channel))
    .catch((error: unknown) => textModal(refusalTitle(error), refusalText(error)));
  await ports.client.views.update({ view_id: opened.view.id, view });
}

const openedSchema = z.object({ view: z.object({ id: z.string() }) });

/** Handles the form of a prompt: its text becomes a request of whoever filled it in. */
export function registerPromptForm(on: Listeners, ports: HandlerPorts): void {
  onSubmit(on, ports, MODALS.prompt, async ({ view, user }, actor) => {
    const { server = '', name = '', channel = '' } = readModalKeys(view.private_metadata);
    const using = usePrompt(ports, actor, {
      ...{ server: String(server), name: String(name), channel: String(channel) },
      values: view.state?.values,
    });
    const inTime = await withTimeout(ANSWER_MS, using, 'later' as const);
    if (inTime !== 'later') return inTime === null ? null : fieldErrors(inTime);
    // The form can't show what goes wrong from now on.
    const told = using.catch((error: unknown) =>
      ports.client.chat.postEphemeral({
        ...{ channel: String(channel), user: user.id },
        ...plainLine(refusalText(error)),
      }),
    );
    void bestEffort(ports, told);
    return null;
  });
}

/** Uses a filled-in prompt. Returns the errors of the form by `block_id`, or null. */
async function usePrompt(
  ports: HandlerPorts,
  actor: Actor,
  form: Pick<ChosenPrompt, 'server' | 'name' | 'channel'> & { readonly values: unknown },
): Promise<Readonly<Record<string, string>> | null> {
  const { server, name, channel, values } = form;
  const prompt = await ports.prompts.find(server, name, actor);
  const reading = readPromptForm(prompt, values);
  if ('errors' in reading) return reading.errors;
  const args = Object.fromEntries(
    Object.entries(reading.content).map(([key, value]) => [key, String(value)]),
  );
  // What people see and what the model reads are the same characters.
  const text = visible(await ports.prompts.text(prompt, args, actor));
  const ts = await post(ports, channel, usedPrompt(actor, prompt, text));
  const place = { team: ports.bot().teamId, channel, threadTs: ts };
  await ports.runs.receive({
    threadId: slackThreadId(place),
    surface: { kind: 'slack', ...place, isDm: channel.startsWith('D') },
    itemId: `slack:${place.team}:${channel}:${ts}`,
    actor,
    text,
    prompt: { server, typed: Object.values(args) },
    at: Math.floor(Number(ts) * 1_000),
  });
  return null;
}

const postedSchema = z.object({ ts: z.string() });

async function post(ports: HandlerPorts, channel: string, message: Message<KnownBlock>): Promise<string> {
  try {
    return postedSchema.parse(await ports.client.chat.postMessage({ channel, ...message })).ts;
  } catch (error) {
    ports.log.warn({ err: error }, 'failed to post a prompt');
    throw new RefusalError('not_applicable', PROMPT.cannotPost);
  }
}

/** The message that begins a prompt's thread: whose request it is, where its text is from, and all of it. */
function usedPrompt(actor: Actor, prompt: ServerPrompt, shown: string): Message<KnownBlock> {
  const server = sentence(prompt.server);
  const title = PROMPT.used(sentence(actor.name), promptTitle(prompt), server);
  return listMessage(title, [
    richText('used', section(bold(title))),
    ...pieces(shown, BLOCK_LENGTH).map((piece, index) => richText(`text.${index}`, preformatted(piece))),
    context('source', PROMPT.source(server)),
  ]);
}
