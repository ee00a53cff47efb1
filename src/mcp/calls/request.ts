import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import type { IssueReceipt } from '../../gate/index.ts';
import { RECEIPT_META } from '../../gate/types.ts';
import { NOTIFY_META } from '../../lib/mail/notify.ts';
import { isResourceTool } from '../tools/resource-tools.ts';
import type { CallParams } from './input-required.ts';
import { requestResources } from './resources.ts';

interface Notes {
  readonly receipt?: IssueReceipt;
  readonly traceparent?: string;
  readonly notify?: boolean;
}

/**
 * The request with a receipt of its own, if people approved the call, its place in a trace (MCP's SEP-414), and whether the server
 * is to tell of what is new.
 */
export function withNotes(
  params: CallParams,
  { receipt, traceparent, notify }: Notes,
  withinMs: number,
): CallParams {
  const proof = receipt && { [RECEIPT_META]: receipt(withinMs) };
  const asked = notify !== undefined && { [NOTIFY_META]: notify };
  const meta = { ...params._meta, ...proof, ...(traceparent && { traceparent }), ...asked };
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
}

/** The request that a call is: of the tool itself, or for our tools, of the server's resources. */
export function request(client: Client, params: CallParams, tool: Tool | undefined, options: RequestOptions) {
  if (tool !== undefined && isResourceTool(tool)) return requestResources(client, params, options);
  return client.callTool(params, { ...options, toolDefinition: withoutChecks(tool, params.name) });
}

/**
 * The definition that the SDK sends by. Given one, it neither looks the tool up nor resends the call after
 * relisting. Without an output schema, it doesn't discard the answer of a completed call because the answer
 * doesn't match.
 */
function withoutChecks(tool: Tool | undefined, name: string): Tool {
  if (tool === undefined) return { name, inputSchema: { type: 'object' } };
  const { outputSchema: _unchecked, ...rest } = tool;
  return rest;
}
