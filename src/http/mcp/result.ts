import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import {
  actorLabel,
  approverInstructions,
  type CallRecord,
  type Content,
  isOpenDoubt,
  type Kept,
  RECEIPT_META,
} from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { whyNotRun } from '../../programs/index.ts';
import { MCP } from '../texts.ts';

/** What of a result is stored beside its record. */
export interface KeptParts {
  text(threadId: string, kept: Pick<Kept, 'name'>, from: number, length: number): Promise<string | null>;
  bytes(threadId: string, kept: Kept): Promise<Buffer | null>;
}

/** The end of a call as its program gets it: the tool's own result, or why there is none, in sentences for a model. */
export async function toToolResult(call: CallRecord, kept: KeptParts): Promise<CallToolResult> {
  const refusal = whyNotRun(call);
  if (refusal !== null) return failure(MCP.notRun(refusal));
  const { outcome } = call;
  if (outcome === null) return failure(MCP.noOutcome);
  if (outcome.status === 'in_doubt') return failure(MCP.inDoubt(outcome.message, isOpenDoubt(call)));
  const content = await Promise.all(outcome.content.map((piece) => toBlock(call.threadId, piece, kept)));
  const told = [...content, ...notes(call).map(text)];
  const meta = outcome.receipt === undefined ? {} : { _meta: { [RECEIPT_META]: outcome.receipt } };
  if (outcome.status === 'failed') {
    return {
      isError: true,
      content: content.length === 0 ? [text(outcome.message), ...told] : told,
      ...meta,
    };
  }
  const structured =
    outcome.structured ?? (await readStructured(call.threadId, outcome.structuredKept, kept));
  return { content: told, ...(structured && { structuredContent: structured }), ...meta };
}

/** Structured content that is stored beside the record; null if there is none, or it was deleted. */
async function readStructured(
  threadId: string,
  part: Kept | undefined,
  kept: KeptParts,
): Promise<JsonObject | null> {
  const text = part && (await kept.text(threadId, part, 0, part.size));
  const json: unknown = text ? JSON.parse(text) : null;
  return isJsonObject(json) ? json : null;
}

/** What people changed or added when they approved, for the model. */
function notes(call: CallRecord): string[] {
  const { decision, edits = [] } = call;
  const by = decision ? [actorLabel(decision)] : [];
  const editors = [...new Set(edits.map((edit) => actorLabel({ actor: edit.by, for: edit.for })))];
  const who = decision?.type === 'edit' ? by : editors;
  return [
    ...(who.length > 0 ? [MCP.edited(who.join(', '), JSON.stringify(call.arguments))] : []),
    ...approverInstructions(call).map(({ by: author, text: words }) => MCP.adds(author, words)),
  ];
}

async function toBlock(threadId: string, piece: Content, kept: KeptParts): Promise<ContentBlock> {
  switch (piece.type) {
    case 'text': {
      const whole = piece.kept && (await kept.text(threadId, piece.kept, 0, piece.kept.size));
      return text(whole ?? piece.text);
    }
    case 'image':
    case 'audio': {
      const bytes = piece.kept && (await kept.bytes(threadId, piece.kept));
      return { type: piece.type, mimeType: piece.mimeType, data: bytes?.toString('base64') ?? piece.data };
    }
    case 'resource_link':
      return {
        type: 'resource_link',
        uri: piece.uri,
        name: piece.name,
        ...(piece.title !== undefined && { title: piece.title }),
        ...(piece.mimeType !== undefined && { mimeType: piece.mimeType }),
      };
    case 'resource': {
      const { uri, mimeType } = piece;
      const type = mimeType === undefined ? {} : { mimeType };
      const bytes = piece.kept && (await kept.bytes(threadId, piece.kept));
      const blob = bytes?.toString('base64') ?? piece.blob;
      const resource = blob === undefined ? { uri, ...type, text: piece.text ?? '' } : { uri, ...type, blob };
      return { type: 'resource', resource };
    }
  }
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

export function failure(words: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: words }] };
}
