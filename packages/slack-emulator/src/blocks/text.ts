import { z } from 'zod';

/** Text objects and option objects, with Slack's limits in characters. */
export const text = (max: number) => z.string().min(1).max(max);
export const id = text(255);
export const color = z.enum(['primary', 'danger']);

export const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(max), emoji: z.boolean().optional() });

export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: text(max), verbatim: z.boolean().optional() });

export const anyText = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

/** Title 100, text 300, both labels 30; Slack has words of its own for all but the text. */
export const confirm = z.strictObject({
  title: plainText(100).optional(),
  text: anyText(300),
  confirm: plainText(30).optional(),
  deny: plainText(30).optional(),
  style: color.optional(),
});

const optionFields = { value: text(75), description: plainText(75).optional() };
export const plainOption = z.strictObject({ text: plainText(75), ...optionFields });
export const anyOption = z.strictObject({ text: anyText(75), ...optionFields });
/** Only the options of an overflow menu may carry a link. */
export const overflowOption = z.strictObject({
  text: plainText(75),
  ...optionFields,
  url: z.string().max(3000).optional(),
});

export const optionGroup = z.strictObject({
  label: plainText(75),
  options: z.array(plainOption).min(1).max(100),
});
