import { z } from 'zod';
import { confirm, id, optionGroup, plainOption, plainText } from './text.ts';

/** What kinds of elements have in common. */
export const actionable = { action_id: id.optional() };
export const confirmable = { ...actionable, confirm: confirm.optional() };
export const focusable = { ...confirmable, focus_on_load: z.boolean().optional() };
export const menu = { ...focusable, placeholder: plainText(150).optional() };
const multiMenu = { ...menu, max_selected_items: z.number().int().min(1).optional() };
const conversationFilter = z
  .strictObject({
    include: z
      .array(z.enum(['im', 'mpim', 'private', 'public']))
      .min(1)
      .optional(),
    exclude_external_shared_channels: z.boolean().optional(),
    exclude_bot_users: z.boolean().optional(),
  })
  .optional();
const conversation = {
  default_to_current_conversation: z.boolean().optional(),
  filter: conversationFilter,
};
/** Either `options` (at most 100) or `option_groups` (at most 100), never both. */
const choices = {
  options: z.array(plainOption).min(1).max(100).optional(),
  option_groups: z.array(optionGroup).min(1).max(100).optional(),
};
const oneKindOfChoices = (select: { options?: unknown; option_groups?: unknown }) =>
  (select.options === undefined) !== (select.option_groups === undefined);
const onlyOne = { message: 'must have exactly one of: options, option_groups' };

/** Every kind of select menu. */
export const menus = [
  z
    .strictObject({
      type: z.literal('static_select'),
      ...choices,
      initial_option: plainOption.optional(),
      ...menu,
    })
    .refine(oneKindOfChoices, onlyOne),
  z
    .strictObject({
      type: z.literal('multi_static_select'),
      ...choices,
      initial_options: z.array(plainOption).optional(),
      ...multiMenu,
    })
    .refine(oneKindOfChoices, onlyOne),
  z.strictObject({
    type: z.literal('external_select'),
    initial_option: plainOption.optional(),
    min_query_length: z.number().int().optional(),
    ...menu,
  }),
  z.strictObject({
    type: z.literal('multi_external_select'),
    initial_options: z.array(plainOption).optional(),
    min_query_length: z.number().int().optional(),
    ...multiMenu,
  }),
  z.strictObject({ type: z.literal('users_select'), initial_user: z.string().optional(), ...menu }),
  z.strictObject({
    type: z.literal('multi_users_select'),
    initial_users: z.array(z.string()).optional(),
    ...multiMenu,
  }),
  z.strictObject({
    type: z.literal('conversations_select'),
    initial_conversation: z.string().optional(),
    response_url_enabled: z.boolean().optional(),
    ...conversation,
    ...menu,
  }),
  z.strictObject({
    type: z.literal('multi_conversations_select'),
    initial_conversations: z.array(z.string()).optional(),
    ...conversation,
    ...multiMenu,
  }),
  z.strictObject({
    type: z.literal('channels_select'),
    initial_channel: z.string().optional(),
    response_url_enabled: z.boolean().optional(),
    ...menu,
  }),
  z.strictObject({
    type: z.literal('multi_channels_select'),
    initial_channels: z.array(z.string()).optional(),
    ...multiMenu,
  }),
] as const;
