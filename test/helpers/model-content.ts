import type { ChatCompletionRequest } from '@copilotkit/aimock';
import { z } from 'zod';

/** What a message says, in words. */
export function contentOf({ content }: ChatCompletionRequest['messages'][number]): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.map((part) => part.text ?? imageUrl(part)).join('\n');
}

/** The beginning of an image's address, which says its type. */
function imageUrl(part: object): string {
  const read = imagePartSchema.safeParse(part);
  return read.success ? `[${read.data.image_url.url.slice(0, 30)}]` : '';
}
const imagePartSchema = z.object({ image_url: z.object({ url: z.string() }) });
