import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Content, Outcome } from '../../gate/types.ts';
import { isJsonObject, isTooDeep, type JsonObject, MAX_DEPTH, truncateDepth } from '../../lib/json.ts';
import { IMPOSSIBLE_META } from '../../lib/text/tool-answers.ts';
import { deeperLevelsLeftOut, failedWithoutReason } from '../texts/calls.ts';

/** Converts a server's result to an outcome. A tool's own error is a failure, with the server's message. */
export function toOutcome(
  result: CallToolResult,
  call: { readonly server: string; readonly name: string },
): Outcome {
  const content = result.content.map(toContent);
  if (result.isError !== true) {
    const { structuredContent: structured } = result;
    if (!isTooDeep(structured)) {
      return { status: 'succeeded', content, structured: toStructured(structured) };
    }
    return {
      status: 'succeeded',
      content: [...content, { type: 'text', text: deeperLevelsLeftOut(MAX_DEPTH) }],
      structured: toStructured(truncateDepth(structured)),
    };
  }
  const message = content
    .flatMap((item) => (item.type === 'text' ? [stripErrorCode(item.text.trim())] : []))
    .filter((text) => text !== '')
    .join('\n');
  return {
    status: 'failed',
    message: message === '' ? failedWithoutReason(call.server, call.name) : message,
    content,
    ...(result._meta?.[IMPOSSIBLE_META] === true && ({ isImpossible: true } as const)),
  };
}

/** Removes the error code that the SDK puts before a protocol error's message. */
export function stripErrorCode(message: string): string {
  return message.replace(/^MCP error -?\d+: /, '');
}

function toContent(block: ContentBlock): Content {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, data: block.data, mimeType: block.mimeType };
    case 'resource_link':
      return {
        type: 'resource_link',
        uri: block.uri,
        name: block.name,
        ...(block.title !== undefined && { title: block.title }),
        ...(block.mimeType !== undefined && { mimeType: block.mimeType }),
      };
    case 'resource':
      return {
        type: 'resource',
        uri: block.resource.uri,
        ...(block.resource.mimeType !== undefined && { mimeType: block.resource.mimeType }),
        ...('text' in block.resource ? { text: block.resource.text } : { blob: block.resource.blob }),
      };
  }
}

/**
 * Wraps structured content that is no object. Revision 2026-07-28 allows any JSON value; servers of older
 * revisions wrap it in the same way.
 */
function toStructured(value: unknown): JsonObject | null {
  if (value === undefined) return null;
  if (isJsonObject(value)) return value;
  return { result: z.json().parse(value) };
}
