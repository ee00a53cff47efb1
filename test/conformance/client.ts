/** The client under test: our port, driven as a person without a Slack would. The suite appends a server's URL. */

import type { CallInput, ElicitationAnswer, Need } from '../../src/gate/call/need.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { createSend } from '../../src/mcp/calls/send.ts';
import { mcpServersSchema } from '../../src/mcp/config/schema.ts';
import { createToolHub } from '../../src/mcp/hub/hub.ts';
import { withoutIsolation } from '../../src/mcp/isolation/isolation.ts';
import { readElicitationForm } from '../../src/slack/modals/elicitation.ts';
import type { CallOptions, ToolDefinition } from '../../src/tools/ports.ts';
import { configured, contextSchema, plannedCalls } from './scenarios.ts';
import { createSigningIn, visit } from './sign-in.ts';
import { takeTurn } from './turns.ts';

const SERVER = 'conformance';
const ATTEMPTS = 3;
const PERSON = { id: 'api:conformance', name: 'Conformance' };

const url = process.argv.at(-1) ?? '';
await takeTurn(import.meta.dirname);
const context = contextSchema.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'));
const log = (details: object, message: string) => console.error(message, JSON.stringify(details));
const logger = { debug: log, info: log, warn: log, error: log };
const signingIn = createSigningIn(logger);
const hub = createToolHub({
  isolation: withoutIsolation,
  servers: mcpServersSchema.parse({ [SERVER]: { url, ...(await configured(url, context)) } }),
  logger,
  signingIn,
});
const send = createSend(hub.connections);

/** Somebody who sends every form as it is shown. */
const options: CallOptions = {
  signal: new AbortController().signal,
  onProgress: () => {},
  onElicit: async (need) => answerTo(need),
};

function answerTo(need: Need): ElicitationAnswer {
  const reading = need.kind === 'form_elicitation' ? readElicitationForm(need.requestedSchema, {}) : null;
  return reading !== null && 'content' in reading
    ? { action: 'accept', content: reading.content }
    : { action: 'decline', content: null };
}

/** Sends a call as the gate does: what it waits for is done, and it goes on. */
async function call(tool: ToolDefinition, args: JsonObject, input?: CallInput): Promise<void> {
  const { server, name, definitionHash } = tool;
  const sent = { server, name, arguments: args, definitionHash, person: PERSON, ...(input && { input }) };
  const result = await send(sent, options);
  console.error(name, JSON.stringify(result));
  if (result.kind !== 'blocked') return;
  if (result.need.kind === 'oauth_url') {
    await visit(signingIn.oauth.pages, result.need.url);
    return call(tool, args, input);
  }
  if (result.input) return call(tool, args, await answered(result.input));
}

async function answered({ asked, ...input }: CallInput): Promise<CallInput> {
  const answers = asked.map(async ({ key, need }) => [key, await answerTo(need)] as const);
  return {
    ...input,
    asked: [],
    answers: { ...input.answers, ...Object.fromEntries(await Promise.all(answers)) },
  };
}

try {
  await hub.start();
  let [status] = hub.status();
  // As the hub does by itself in a while: of the many at once, some are slow to answer at first.
  for (let attempt = 1; attempt < ATTEMPTS && status?.state === 'down'; attempt += 1) {
    await hub.reconnect();
    [status] = hub.status();
  }
  if (status?.state !== 'up' && status?.state !== 'sign_in_required') {
    throw new Error(status?.error ?? 'The server is not up.');
  }
  // Before anybody has signed in, the one tool there is connects the server.
  if (status.state === 'sign_in_required') {
    for (const tool of await hub.tools(PERSON)) await call(tool, {});
  }
  for (const planned of plannedCalls(await hub.tools(PERSON), context)) {
    await call(planned.tool, planned.arguments);
  }
} finally {
  await hub.stop();
}
