import { type ContentBlock, type PromptMessage, ProtocolError } from '@modelcontextprotocol/client';
import { type Actor, GET_PROMPT } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { redactSecrets } from '../../oauth/index.ts';
import type { McpServers } from '../config/schema.ts';
import type { ServerPrompt, ServerPrompts, ServerStatus } from '../ports.ts';
import { stripErrorCode } from '../protocol/results.ts';
import { refusedBy } from '../texts/calls.ts';
import { noPrompt, promptEmpty, promptFailed, promptNotAllowed, promptTooLong } from '../texts/prompts.ts';
import type { ServerConnections } from './hub.ts';

interface PromptsPorts {
  readonly connections: Pick<ServerConnections, 'acquire'>;
  readonly status: () => readonly Pick<ServerStatus, 'name' | 'state'>[];
  /** Whether the policy and the permissions of tools let somebody use a prompt by themselves, as a call of `server.get_prompt`. */
  readonly isAllowed: (call: {
    readonly server: string;
    readonly tool: string;
    readonly arguments: JsonObject;
  }) => boolean;
  readonly log: Pick<Logger, 'warn'>;
}

/** How long one server may take to list its prompts, in milliseconds. The others are listed without it. */
const LIST_WITHIN_MS = 5_000;
/** How long a server may take to fill a prompt in, in milliseconds. */
const GET_WITHIN_MS = 30_000;
/** Longest prompt, in characters: what fits into one message of Slack, so that all of it is seen. */
const LONGEST_PROMPT = 10_000;

/** The states of servers that can't answer now. */
const SILENT: readonly ServerStatus['state'][] = ['down', 'setup_required'];

/**
 * The prompts of all servers, over the connections of the person who uses them. In MCP people choose prompts,
 * and the model never does.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/prompts
 */
export function createPrompts({ connections, status, isAllowed, log }: PromptsPorts): ServerPrompts {
  async function listPrompts(server: string, person: Actor): Promise<readonly ServerPrompt[]> {
    const { connection } = await connections.acquire(server, person);
    const { client } = connection;
    if (client.getServerCapabilities()?.prompts === undefined) return [];
    const { prompts } = await client.listPrompts(undefined, { timeout: LIST_WITHIN_MS, cacheMode: 'bypass' });
    return prompts
      .filter(({ name }) => mayUse(server, name, {}))
      .map(({ name, title, description, arguments: args = [] }) => ({
        server,
        name,
        title: title ?? name,
        description: description ?? null,
        arguments: args.map((argument) => ({
          name: argument.name,
          description: argument.description ?? null,
          required: argument.required ?? false,
        })),
      }));
  }

  function mayUse(server: string, name: string, args: JsonObject): boolean {
    return isAllowed({ server, tool: GET_PROMPT, arguments: { name, arguments: args } });
  }

  /** The error as people may see it. */
  function explain(error: unknown, server: string, name: string): AppError {
    if (error instanceof AppError) return error;
    log.warn({ server, prompt: name, error: redactSecrets(error).message }, 'failed to get a prompt');
    const said = error instanceof ProtocolError ? stripErrorCode(error.message).trim() : '';
    const userMessage = said === '' ? promptFailed(server, name) : refusedBy(server, name, said);
    return new AppError({ code: 'prompt_failed', userMessage, cause: error });
  }

  return {
    async list(person) {
      const answering = status().filter(({ state }) => !SILENT.includes(state));
      const lists = answering.map(({ name }) =>
        // One server that doesn't answer, or isn't connected, must not hide the others' prompts.
        withTimeout(LIST_WITHIN_MS, listPrompts(name, person), []).catch(() => []),
      );
      return (await Promise.all(lists)).flat();
    },

    async find(server, name, person) {
      if (!mayUse(server, name, {})) throw notAllowed(server, name);
      const prompts = await listPrompts(server, person).catch((error: unknown) => {
        throw explain(error, server, name);
      });
      const found = prompts.find((prompt) => prompt.name === name);
      if (found) return found;
      throw new AppError({ code: 'no_such_prompt', userMessage: noPrompt(server, name) });
    },

    async text({ server, name }, args, person) {
      if (!mayUse(server, name, { ...args })) throw notAllowed(server, name);
      try {
        const { connection } = await connections.acquire(server, person);
        const { messages } = await connection.client.getPrompt(
          { name, arguments: { ...args } },
          { timeout: GET_WITHIN_MS },
        );
        return promptText(server, name, messages);
      } catch (error) {
        throw explain(error, server, name);
      }
    },
  };
}

/** What rules can match besides tools: the prompts of each server. */
export function promptTools(servers: McpServers): readonly { server: string; name: string }[] {
  return Object.entries(servers).flatMap(([server, { disabled }]) =>
    disabled ? [] : [{ server, name: GET_PROMPT }],
  );
}

function notAllowed(server: string, name: string): AppError {
  return new AppError({ code: 'prompt_not_allowed', userMessage: promptNotAllowed(server, name) });
}

/** All messages as one text of the person's. What a server puts into the assistant's mouth is marked. */
function promptText(server: string, name: string, messages: readonly PromptMessage[]): string {
  const text = messages
    .map(({ role, content }) => (role === 'user' ? '' : `[${role}] `) + contentText(content))
    .join('\n\n')
    .trim();
  if (text === '') throw new AppError({ code: 'prompt_empty', userMessage: promptEmpty(server, name) });
  if (text.length <= LONGEST_PROMPT) return text;
  const userMessage = promptTooLong(server, name, LONGEST_PROMPT);
  throw new AppError({ code: 'prompt_too_long', userMessage });
}

function contentText(content: ContentBlock): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource':
      return 'text' in content.resource ? content.resource.text : `[${content.resource.uri}]`;
    case 'resource_link':
      return `[${content.uri}]`;
    case 'image':
    case 'audio':
      return `[${content.type}, ${content.mimeType}]`;
  }
}
