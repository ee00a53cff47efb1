import { z } from 'zod';
import { id } from './text.ts';

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();
const border = z.union([z.literal(0), z.literal(1)]).optional();

const textRun = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style });
const link = z.strictObject({
  type: z.literal('link'),
  url: z.string().min(1).max(3000),
  text: z.string().optional(),
  unsafe: z.boolean().optional(),
  style,
});

const inline = z.discriminatedUnion('type', [
  textRun,
  link,
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('user'), user_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('team'), team_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('color'), value: z.string().min(1), style }),
  z.strictObject({
    type: z.literal('emoji'),
    name: z.string().min(1),
    unicode: z.string().optional(),
    url: z.string().optional(),
    style,
  }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.number().int(),
    format: z.string().min(1),
    url: z.string().optional(),
    fallback: z.string().optional(),
    style,
  }),
]);

const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

/** A `rich_text` block: sections, lists of sections, quotes and preformatted text. */
export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: id.optional(),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.strictObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          elements: z.array(section).min(1),
          indent: z.number().int().min(0).max(8).optional(),
          offset: z.number().int().min(0).optional(),
          border,
        }),
        z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(inline), border }),
        z.strictObject({
          type: z.literal('rich_text_preformatted'),
          elements: z.array(z.discriminatedUnion('type', [textRun, link])),
          language: z.string().optional(),
          border,
        }),
      ]),
    )
    .min(1),
});
