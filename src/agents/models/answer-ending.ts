import type { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { z } from 'zod';

/**
 * Why an answer ended: it is whole (`stop`), it reached the model's limit, its provider's filter stopped it, the
 * model refused, or it broke off.
 */
const answerEndingSchema = z.enum(['stop', 'length', 'content_filter', 'refusal', 'incomplete']);
export type AnswerEnding = z.infer<typeof answerEndingSchema>;

const metadataSchema = z.object({ finish_reason: answerEndingSchema });

/** Why an answer ended; `stop` where the model doesn't say, or says anything else. */
export function readEnding({ response_metadata: metadata }: AIMessage | AIMessageChunk): AnswerEnding {
  const read = metadataSchema.safeParse(metadata);
  return read.success ? read.data.finish_reason : 'stop';
}
