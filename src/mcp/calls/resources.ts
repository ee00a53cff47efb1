import {
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { LIST_RESOURCES } from '../tools/resource-tools.ts';
import type { CallParams } from './input-required.ts';

const readSchema = z.object({ uri: z.string() });

/**
 * Answers a call of one of the two resource tools with the server's own requests, as the result of a tool.
 * Rejects as `callTool` does.
 */
export async function requestResources(
  client: Client,
  { name, arguments: args, ...rest }: CallParams,
  options: RequestOptions,
): Promise<CallToolResult | InputRequiredResult> {
  if (name === LIST_RESOURCES.name) return listResources(client, options);
  const { uri } = readSchema.parse(args);
  const result: ReadResourceResult | InputRequiredResult = await client.readResource(
    { ...rest, uri },
    { ...options, cacheMode: 'bypass' },
  );
  if (isInputRequiredResult(result)) return result;
  return { content: result.contents.map((resource) => ({ type: 'resource', resource })) };
}

/** All pages of both lists, without what only a user interface needs (icons, metadata). */
async function listResources(client: Client, options: RequestOptions): Promise<CallToolResult> {
  const fresh = { ...options, cacheMode: 'bypass' } as const;
  const [{ resources }, { resourceTemplates }] = await Promise.all([
    client.listResources(undefined, fresh),
    client.listResourceTemplates(undefined, fresh).catch(noTemplates),
  ]);
  const structuredContent = {
    resources: resources.map(({ uri, name, title, description, mimeType, size }) => ({
      ...{ uri, name, title, description, mimeType, size },
    })),
    templates: resourceTemplates.map(({ uriTemplate, name, title, description, mimeType }) => ({
      ...{ uriTemplate, name, title, description, mimeType },
    })),
  };
  return { content: [], structuredContent: JSON.parse(JSON.stringify(structuredContent)) };
}

/** Some servers have resources and don't know the method for templates. */
function noTemplates(error: unknown): { readonly resourceTemplates: [] } {
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound)
    return { resourceTemplates: [] };
  throw error;
}
