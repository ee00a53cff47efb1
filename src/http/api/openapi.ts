import type { z } from 'zod';
import { documentPaths } from '../documents/openapi.ts';
import {
  auditQuerySchema,
  callQuerySchema,
  requestQuerySchema,
  sessionQuerySchema,
} from '../records/schemas.ts';
import {
  answer,
  body,
  type Component,
  componentSchemas,
  errors,
  header,
  healthPaths,
  limitPaths,
  OK,
  queryParameters,
  refTo,
  teamPaths,
} from './openapi-parts.ts';
import { authorizationPaths, pagePaths, signInPaths } from './openapi-web.ts';

interface DescribedParts {
  /** Routes of other modules. */
  readonly mounts: readonly {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly summary: string;
  }[];
  /** Whether people can sign in on the web. */
  readonly hasWeb: boolean;
  /** Whether people can let programs of their own in. */
  readonly hasAuthorization: boolean;
}

/**
 * The OpenAPI 3.1 description of every route that there is, made of the very schemas that requests are checked with.
 */
export function openApiDocument({ mounts, hasWeb, hasAuthorization }: DescribedParts) {
  return {
    openapi: '3.1.0',
    info: { title: 'Countersign', version: '1' },
    security: [{ key: [] }],
    paths: {
      '/run': {
        post: {
          summary: 'Send a message to a thread',
          parameters: [
            header(
              'Idempotency-Key',
              'The same key with the same message is received once, and answered alike.',
            ),
          ],
          requestBody: body('RunRequest'),
          responses: { ...OUTCOMES, ...errors(400, 401, 403, 409, 413, 422, 429, 503) },
        },
      },
      '/resume': {
        post: {
          summary: 'Decide, answer or unblock what a thread waits for: all of it or nothing',
          requestBody: body('ResumeRequest'),
          responses: { ...OUTCOMES, ...errors(400, 401, 403, 404, 409, 413, 422, 503) },
        },
      },
      '/runs/{thread_id}/events': {
        get: {
          summary: 'Listen to a thread',
          description:
            'Server-sent events. Those with an id are kept and can be asked for again; the others are live.',
          parameters: [
            { name: 'thread_id', in: 'path', required: true, schema: { type: 'string' } },
            header('Last-Event-ID', 'Only what came after; left out, everything that is kept.'),
          ],
          responses: {
            200: {
              description: 'Event names and data.',
              content: {
                'text/event-stream': { schema: { anyOf: [refTo('ThreadEvent'), refTo('LiveThreadEvent')] } },
              },
            },
            ...errors(400, 401, 403, 404, 429, 503),
          },
        },
      },
      '/jobs/{job_id}/events': {
        get: {
          summary: 'Listen to a call that its server does as a job, until that has ended',
          description:
            'Server-sent events without a name, at first how far it is. The events of its thread and its call name it.',
          parameters: [{ name: 'job_id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: {
            200: {
              description: 'The data of each.',
              content: { 'text/event-stream': { schema: refTo('JobState') } },
            },
            ...errors(401, 403, 404, 429, 503),
          },
        },
      },
      ...teamPaths(),
      ...agentPaths(),
      ...mcpPaths(),
      ...recordPaths(),
      ...limitPaths(),
      ...documentPaths(),
      ...signInPaths(),
      ...(hasWeb && pagePaths()),
      ...(hasWeb && hasAuthorization && authorizationPaths()),
      ...mountPaths(mounts),
      '/openapi.json': { get: { summary: 'This description', responses: { 200: OK, ...errors(401) } } },
      ...healthPaths(),
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: componentSchemas(),
    },
  };
}

/** They ask for no key of ours. */
function mountPaths(mounts: DescribedParts['mounts']) {
  return Object.fromEntries(
    mounts.map(({ method, path, summary }) => [
      path,
      { [method.toLowerCase()]: { summary, security: [], responses: { 200: OK } } },
    ]),
  );
}

/** What programs ask of the gate. */
function agentPaths() {
  return {
    '/health': {
      get: {
        summary: 'Whether the server answers, for Open Edison’s clients',
        security: [],
        responses: { 200: OK },
      },
    },
    '/mcp/status': {
      get: { summary: 'The same, for a valid key', responses: { 200: OK, ...errors(401) } },
    },
    '/agent/session': {
      post: {
        summary: 'Begin a conversation of a program, unless it is known',
        requestBody: body('SessionRequest'),
        responses: {
          200: answer('The conversation.', 'SessionAnswer'),
          ...errors(400, 401, 403, 422, 503),
        },
      },
    },
    '/agent/begin': {
      post: {
        summary: 'Ask whether a function may run, and wait until people have decided',
        description:
          'It is answered before `timeout_s` is over. The function may only run if `approved` is true.',
        requestBody: body('BeginRequest'),
        responses: { 200: answer('The decision.', 'BeginAnswer'), ...errors(400, 401, 403, 413, 422, 503) },
      },
    },
    '/agent/end': {
      post: {
        summary: 'Report how a function ended: the first report stands, and the same again changes nothing',
        requestBody: body('EndRequest'),
        responses: {
          200: answer('It is on record.', 'EndAnswer'),
          ...errors(400, 401, 403, 404, 409, 413, 422, 503),
        },
      },
    },
  };
}

/** The gate as an MCP server. Its messages are those of the Model Context Protocol. */
function mcpPaths() {
  const description =
    'JSON-RPC of the Model Context Protocol, revisions 2025-03-26 to 2026-07-28, over Streamable HTTP.';
  const message = { required: true, content: { 'application/json': { schema: { type: 'object' } } } };
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    '/mcp': {
      post: {
        summary: 'Use the tools behind the gate as an MCP client',
        description,
        requestBody: message,
        responses: { 200: { description: 'Messages.', content: events }, ...errors(400, 401, 403, 503) },
      },
      get: {
        summary: 'Hear that the tools behind the gate have changed (revisions before 2026-07-28)',
        description,
        responses: {
          200: { description: 'Notifications.', content: events },
          ...errors(401, 403, 429, 503),
        },
      },
    },
  };
}

/** What was asked for, and what became of it. */
function recordPaths() {
  const list = (summary: string, query: z.ZodObject, schema: Component) => ({
    get: {
      summary,
      description: 'Newest first. Asks for a key with the scope `read`.',
      parameters: queryParameters(query),
      responses: { 200: answer('A page.', schema), ...errors(400, 401, 403, 503) },
    },
  });
  const one = (summary: string, schema: Component) => ({
    get: {
      summary,
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: answer('The record.', schema), ...errors(401, 403, 404, 503) },
    },
  });
  const page = { 'text/markdown': { schema: { type: 'string' } } };
  const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  const inPath = (name: string, description: string) => {
    return { name, in: 'path', required: true, description, schema: { type: 'string' } };
  };
  const lines = { 'application/jsonl': { schema: { type: 'string' } } };
  return {
    '/api/calls': list('List calls', callQuerySchema, 'CallList'),
    '/api/calls/{id}': one('Read a call', 'Call'),
    '/api/requests': list('List what people were asked', requestQuerySchema, 'RequestList'),
    '/api/requests/{id}': one('Read a request with its calls', 'Request'),
    '/api/requests/{id}/decisions': {
      post: {
        summary: 'Decide calls of a request: all of them or none',
        description:
          'Asks for a key with the scope `run` or `admin`. The policy says what the key may decide, of what it asked for itself.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: body('DecisionsRequest'),
        responses: {
          200: answer('The request, as it is then.', 'Request'),
          ...errors(400, 401, 403, 404, 409, 413, 422, 503),
        },
      },
    },
    '/api/sessions': list('List the conversations of programs', sessionQuerySchema, 'SessionList'),
    '/api/sessions/{id}/notebook': {
      get: {
        summary: 'Export a conversation as a page of a lab notebook, in Markdown',
        description:
          'Notes in the audit that it was exported; `countersign notebook verify` compares a page with that. Asks for a key with the scope `read`. Results that are one person’s alone are left out.',
        parameters: [inPath('id', '`thread_id` of its calls.')],
        responses: { 200: { description: 'The page.', content: page }, ...errors(401, 403, 404, 422, 503) },
      },
    },
    '/api/sessions/{id}/notebook/{file}': {
      get: {
        summary: 'Read a file that a notebook’s page refers to, such as a plot',
        parameters: [inPath('id', '`thread_id` of its calls.'), inPath('file', 'Its name on the page.')],
        responses: { 200: { description: 'The file.', content: bytes }, ...errors(401, 403, 404, 422, 503) },
      },
    },
    '/api/audit': {
      get: {
        summary: 'Export the audit, one entry a line; `countersign audit verify` checks it',
        parameters: queryParameters(auditQuerySchema),
        responses: { 200: { description: 'Entries.', content: lines }, ...errors(400, 401, 403, 503) },
      },
    },
  };
}

const OUTCOMES = {
  200: answer('success', 'Envelope'),
  202: answer('People have the next word, or the work goes on; `status` says which.', 'Envelope'),
  500: {
    description: 'It ended without an answer (`Envelope`), or went wrong on our side (`Error`).',
    content: { 'application/json': { schema: { anyOf: [refTo('Envelope'), refTo('Error')] } } },
  },
};
