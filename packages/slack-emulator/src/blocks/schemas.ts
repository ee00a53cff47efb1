import { z } from 'zod';
import {
  accessory,
  actionElement,
  buttonElement,
  contextActionElement,
  imageElement,
  inputElement,
  urlSource,
} from './elements.ts';
import { richText } from './rich-text.ts';
import { anyText, id, mrkdwn, plainText, text } from './text.ts';

export type Surface = 'message' | 'modal' | 'home';

const block = { block_id: id.optional() };

const section = z
  .strictObject({
    type: z.literal('section'),
    text: anyText(3000).optional(),
    fields: z.array(anyText(2000)).min(1).max(10).optional(),
    accessory: accessory.optional(),
    expand: z.boolean().optional(),
    ...block,
  })
  .refine((it) => it.text !== undefined || it.fields !== undefined, {
    message: 'missing required field: text or fields',
  });
const image = z
  .strictObject({
    type: z.literal('image'),
    alt_text: text(2000),
    title: plainText(2000).optional(),
    image_url: text(3000).optional(),
    slack_file: z.strictObject({ id: z.string().optional(), url: z.string().optional() }).optional(),
    ...block,
  })
  .refine((it) => (it.image_url === undefined) !== (it.slack_file === undefined), {
    message: 'must have exactly one of: image_url, slack_file',
  });
const actions = z.strictObject({
  type: z.literal('actions'),
  elements: z.array(actionElement).min(1).max(25),
  ...block,
});
const context = z.strictObject({
  type: z.literal('context'),
  elements: z
    .array(z.union([imageElement, anyText(3000)]))
    .min(1)
    .max(10),
  ...block,
});
const divider = z.strictObject({ type: z.literal('divider'), ...block });
const header = z.strictObject({ type: z.literal('header'), text: plainText(150), ...block });
const alert = z.strictObject({
  type: z.literal('alert'),
  text: anyText(3000),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
  ...block,
});
const cell = z.discriminatedUnion('type', [
  richText,
  z.strictObject({ type: z.literal('raw_text'), text: z.string() }),
  z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: z.string() }),
]);
const rows = z.array(z.array(cell).min(1).max(20)).min(1).max(100);
const table = z.strictObject({
  type: z.literal('table'),
  rows,
  column_settings: z
    .array(
      z
        .strictObject({
          align: z.enum(['left', 'center', 'right']).optional(),
          is_wrapped: z.boolean().optional(),
        })
        .nullable(),
    )
    .max(20)
    .optional(),
  ...block,
});
const input = z.strictObject({
  type: z.literal('input'),
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
  element: inputElement,
  ...block,
});
const everywhere = [section, image, actions, context, divider, header, alert, richText] as const;

const card = z
  .strictObject({
    type: z.literal('card'),
    hero_image: imageElement.optional(),
    icon: imageElement.optional(),
    title: mrkdwn(150).optional(),
    subtitle: mrkdwn(150).optional(),
    body: mrkdwn(200).optional(),
    actions: z.array(buttonElement).min(1).optional(),
    ...block,
  })
  .refine((it) => it.hero_image ?? it.title ?? it.actions ?? it.body, {
    message: 'must have at least one of: hero_image, title, actions, body',
  });
const task = z.strictObject({
  type: z.literal('task_card'),
  task_id: text(255),
  title: text(256),
  details: richText.optional(),
  output: richText.optional(),
  sources: z.array(urlSource).optional(),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  ...block,
});
const container = z
  .strictObject({
    type: z.literal('container'),
    title: plainText(150).optional(),
    rich_text_title: richText.optional(),
    subtitle: anyText(150).optional(),
    child_blocks: z
      .array(
        z.discriminatedUnion('type', [section, image, actions, context, divider, header, richText, table]),
      )
      .min(1)
      .max(10),
    width: z.enum(['narrow', 'standard', 'wide', 'full']).optional(),
    icon: imageElement.optional(),
    is_collapsible: z.boolean().optional(),
    default_collapsed: z.boolean().optional(),
    has_header_divider: z.boolean().optional(),
    ...block,
  })
  .refine((it) => it.title ?? it.rich_text_title, {
    message: 'missing required field: title or rich_text_title',
  });

const messageBlock = z.discriminatedUnion('type', [
  ...everywhere,
  table,
  card,
  container,
  task,
  z.strictObject({ type: z.literal('carousel'), elements: z.array(card).min(1).max(10), ...block }),
  z.strictObject({
    type: z.literal('context_actions'),
    elements: z.array(contextActionElement).min(1).max(5),
    ...block,
  }),
  z.strictObject({
    type: z.literal('data_table'),
    rows,
    caption: text(3000),
    page_size: z.number().int().min(1).max(100).optional(),
    row_header_column_index: z.number().int().min(0).optional(),
    ...block,
  }),
  z.strictObject({ type: z.literal('markdown'), text: text(12_000), ...block }),
  z.strictObject({ type: z.literal('plan'), title: text(256), tasks: z.array(task).optional(), ...block }),
]);
const viewBlock = z.discriminatedUnion('type', [...everywhere, input]);

/**
 * The blocks that a surface takes: 50 in a message, 100 in a modal or Home.
 * Files and videos are left out: an app cannot post the first, and the second needs a scope of its own.
 */
export const blocksOn: Record<Surface, z.ZodType> = {
  message: z.array(messageBlock).max(50),
  modal: z.array(viewBlock).min(1).max(100),
  home: z.array(viewBlock).max(100),
};

const view = {
  blocks: z.unknown(),
  callback_id: z.string().max(255).optional(),
  private_metadata: z.string().max(3000).optional(),
  external_id: z.string().max(255).optional(),
};
export const viewFrame: Record<'modal' | 'home', z.ZodType> = {
  modal: z.strictObject({
    type: z.literal('modal'),
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    submit_disabled: z.boolean().optional(),
    ...view,
  }),
  home: z.strictObject({ type: z.literal('home'), ...view }),
};
