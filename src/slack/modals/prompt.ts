import type { KnownBlock, ModalView } from '@slack/types';
import type { JsonObject } from '../../lib/json.ts';
import type { ServerPrompt } from '../../mcp/ports.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { headTool, nameTool } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { bold, context, richText, section, text } from '../text/block-kit.ts';
import { PROMPT } from '../texts/commands.ts';
import { readElicitationForm } from './elicitation.ts';
import { toForm } from './form/fields.ts';
import { fieldInputs } from './form/inputs.ts';
import { modal } from './modal.ts';

/** How much of a description is shown, in characters. */
const DESCRIPTION_LENGTH = 2_000;

/** The form for a prompt's arguments; for one without any, only what it is. */
export function promptModal(prompt: ServerPrompt, channel: string): ModalView {
  const { server, name, description } = prompt;
  const form = toForm(argumentSchema(prompt), {}, 'plain_labels');
  const inputs: KnownBlock[] = form.fields.flatMap(fieldInputs);
  const isWhole = form.leftOut.length === 0;
  const { titled } = headTool(prompt);
  const said = description === null ? '' : clip(visible(description), DESCRIPTION_LENGTH);
  const about = [titled ?? '', said].filter((line) => line !== '').join('\n');
  return modal({
    callbackId: MODALS.prompt,
    title: PROMPT.title,
    submit: isWhole ? PROMPT.submit : null,
    metadata: { server, name, channel },
    blocks: [
      richText('prompt', section(bold(promptTitle(prompt)), text(about === '' ? '' : `\n${about}`))),
      ...(isWhole ? inputs : [context('unusable', PROMPT.tooMany)]),
      context('of', PROMPT.of(sentence(server))),
    ],
  });
}

/** The prompt's title with its real name. */
export function promptTitle(prompt: Pick<ServerPrompt, 'server' | 'name' | 'title'>): string {
  return nameTool(prompt);
}

/** The filled-in arguments, or error sentences by `block_id`. `values` is `view.state.values`. */
export function readPromptForm(prompt: ServerPrompt, values: unknown) {
  return readElicitationForm(argumentSchema(prompt), values ?? {});
}

/** A prompt's arguments are texts, whatever they mean. */
function argumentSchema({ arguments: args }: ServerPrompt): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      args.map(({ name, description }) => [
        name,
        { type: 'string', ...(description === null ? {} : { description }) },
      ]),
    ),
    required: args.filter(({ required }) => required).map(({ name }) => name),
  };
}
