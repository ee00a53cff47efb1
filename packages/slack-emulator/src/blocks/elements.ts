import { z } from 'zod';
import { actionable, confirmable, focusable, menu, menus } from './menus.ts';
import { richText } from './rich-text.ts';
import { anyOption, color, overflowOption, plainText, text } from './text.ts';

const typed = {
  ...actionable,
  focus_on_load: z.boolean().optional(),
  placeholder: plainText(150).optional(),
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1),
    })
    .optional(),
};
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const time = z.string().regex(/^\d{2}:\d{2}$/);
const image = z.union([
  z.strictObject({ type: z.literal('image'), alt_text: text(2000), image_url: text(3000) }),
  z.strictObject({
    type: z.literal('image'),
    alt_text: text(2000),
    slack_file: z.strictObject({ id: z.string().optional(), url: z.string().optional() }),
  }),
]);

const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  value: z.string().max(2000).optional(),
  url: z.string().max(3000).optional(),
  style: color.optional(),
  accessibility_label: z.string().max(75).optional(),
  ...confirmable,
});
const workflowButton = z.strictObject({
  type: z.literal('workflow_button'),
  text: plainText(75),
  workflow: z.looseObject({ trigger: z.looseObject({ url: text(3000) }) }),
  style: color.optional(),
  accessibility_label: z.string().max(75).optional(),
  ...confirmable,
});
const overflow = z.strictObject({
  type: z.literal('overflow'),
  options: z.array(overflowOption).min(1).max(5),
  ...confirmable,
});
const pickers = [
  z.strictObject({ type: z.literal('datepicker'), initial_date: date.optional(), ...menu }),
  z.strictObject({
    type: z.literal('timepicker'),
    initial_time: time.optional(),
    timezone: z.string().optional(),
    ...menu,
  }),
  z.strictObject({
    type: z.literal('checkboxes'),
    options: z.array(anyOption).min(1).max(10),
    initial_options: z.array(anyOption).min(1).optional(),
    ...focusable,
  }),
  z.strictObject({
    type: z.literal('radio_buttons'),
    options: z.array(anyOption).min(1).max(10),
    initial_option: anyOption.optional(),
    ...focusable,
  }),
] as const;
const dateTimePicker = z.strictObject({
  type: z.literal('datetimepicker'),
  initial_date_time: z.number().int().optional(),
  ...focusable,
});
const richTextInput = z.strictObject({
  type: z.literal('rich_text_input'),
  initial_value: richText.optional(),
  min_lines: z.number().int().optional(),
  max_lines: z.number().int().optional(),
  ...typed,
});
const feedback = z.strictObject({
  text: plainText(75),
  value: text(2000),
  accessibility_label: z.string().max(75).optional(),
});

export const imageElement = image;
export const buttonElement = button;
export const urlSource = z.strictObject({ type: z.literal('url'), url: text(3000), text: text(3000) });

/** What may stand beside a section's text. */
export const accessory = z.union([
  image,
  z.discriminatedUnion('type', [button, workflowButton, overflow, ...pickers, ...menus]),
]);

/** What an actions block may hold. */
export const actionElement = z.discriminatedUnion('type', [
  button,
  workflowButton,
  overflow,
  dateTimePicker,
  richTextInput,
  ...pickers,
  ...menus,
]);

/** What an input block may hold. */
export const inputElement = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('plain_text_input'),
    initial_value: z.string().max(3000).optional(),
    multiline: z.boolean().optional(),
    min_length: z.number().int().min(0).max(3000).optional(),
    max_length: z.number().int().min(1).max(3000).optional(),
    ...typed,
  }),
  z.strictObject({ type: z.literal('email_text_input'), initial_value: z.string().optional(), ...typed }),
  z.strictObject({ type: z.literal('url_text_input'), initial_value: z.string().optional(), ...typed }),
  z.strictObject({
    type: z.literal('number_input'),
    is_decimal_allowed: z.boolean(),
    initial_value: z.string().optional(),
    min_value: z.string().optional(),
    max_value: z.string().optional(),
    ...typed,
  }),
  z.strictObject({
    type: z.literal('file_input'),
    filetypes: z.array(z.string()).optional(),
    max_files: z.number().int().min(1).max(10).optional(),
    ...actionable,
  }),
  dateTimePicker,
  richTextInput,
  ...pickers,
  ...menus,
]);

/** What a context_actions block may hold. */
export const contextActionElement = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('feedback_buttons'),
    positive_button: feedback,
    negative_button: feedback,
    ...actionable,
  }),
  z.strictObject({
    type: z.literal('icon_button'),
    icon: text(75),
    text: plainText(75),
    accessibility_label: z.string().max(75).optional(),
    value: z.string().max(2000).optional(),
    visible_to_user_ids: z.array(z.string()).optional(),
    ...confirmable,
  }),
]);
