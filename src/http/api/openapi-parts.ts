import { z } from 'zod';
import {
  beginAnswerSchema,
  beginRequestSchema,
  endAnswerSchema,
  endRequestSchema,
  sessionAnswerSchema,
  sessionRequestSchema,
} from '../agent/schemas.ts';
import { documentAnswerSchema, documentListSchema } from '../documents/schemas.ts';
import {
  callAnswerSchema,
  callListSchema,
  requestAnswerSchema,
  requestListSchema,
  sessionListSchema,
} from '../records/schemas.ts';
import { envelopeSchema, errorSchema, jsonSchema, pendingActionSchema } from '../threads/schemas/answers.ts';
import { liveThreadEventSchema, threadEventSchema } from '../threads/schemas/events.ts';
import { jobStateSchema } from '../threads/schemas/jobs.ts';
import {
  decisionsRequestSchema,
  resumeRequestSchema,
  runRequestSchema,
} from '../threads/schemas/requests.ts';
import {
  hitlAnswerSchema,
  hitlResponseSchema,
  queryAnswerSchema,
  queryRequestSchema,
  teamEventSchema,
} from '../threads/schemas/team.ts';
import {
  limitExtensionSchema,
  limitListQuerySchema,
  limitListSchema,
  limitQuestionSchema,
  limitUseSchema,
} from './limits.ts';

/** What the parts of the API's description are made of. */

const COMPONENTS = {
  RunRequest: runRequestSchema,
  ResumeRequest: resumeRequestSchema,
  DecisionsRequest: decisionsRequestSchema,
  Envelope: envelopeSchema,
  PendingAction: pendingActionSchema,
  ThreadEvent: threadEventSchema,
  LiveThreadEvent: liveThreadEventSchema,
  JobState: jobStateSchema,
  QueryRequest: queryRequestSchema,
  QueryAnswer: queryAnswerSchema,
  HitlResponse: hitlResponseSchema,
  HitlAnswer: hitlAnswerSchema,
  TeamEvent: teamEventSchema,
  SessionRequest: sessionRequestSchema,
  SessionAnswer: sessionAnswerSchema,
  BeginRequest: beginRequestSchema,
  BeginAnswer: beginAnswerSchema,
  EndRequest: endRequestSchema,
  EndAnswer: endAnswerSchema,
  Call: callAnswerSchema,
  CallList: callListSchema,
  Request: requestAnswerSchema,
  RequestList: requestListSchema,
  SessionList: sessionListSchema,
  Document: documentAnswerSchema,
  DocumentList: documentListSchema,
  LimitList: limitListSchema,
  LimitUse: limitUseSchema,
  LimitExtension: limitExtensionSchema,
  LimitQuestion: limitQuestionSchema,
  Error: errorSchema,
  Json: jsonSchema,
};
export type Component = keyof typeof COMPONENTS;

const ERRORS: Readonly<Record<string, string>> = {
  400: 'Malformed.',
  401: 'No valid key.',
  403: 'The key, the person or the policy does not allow it.',
  404: 'There is no such thing.',
  409: 'It is not as the request thinks: unknown, decided already, changed or expired. Nothing was done.',
  413: 'Too large.',
  422: 'Does not fit the schema, or the tool’s, or nests more than 100 levels deep; a conversation that is too long for a notebook.',
  429: 'Too many for this key. Try again after `Retry-After` seconds.',
  503: 'Stopping, or without a store. Try again after `Retry-After` seconds.',
};

export const OK = { description: 'Yes.' };

export function refTo(name: Component) {
  return { $ref: `#/components/schemas/${name}` };
}

export function answer(description: string, name: Component) {
  return { description, content: { 'application/json': { schema: refTo(name) } } };
}

export function body(name: Component) {
  return { required: true, content: { 'application/json': { schema: refTo(name) } } };
}

export function errors(...statuses: readonly number[]) {
  return Object.fromEntries(statuses.map((status) => [status, answer(ERRORS[status] ?? '', 'Error')]));
}

export function header(name: string, description: string) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

/** All schemas, by name. Those that are a part of others are referred to, not repeated. */
export function componentSchemas() {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    io: 'input',
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]));
}

/** The team's own door. */
export function teamPaths() {
  const again = header('Idempotency-Key', 'The same key with the same message is received once.');
  const stream = { anyOf: [refTo('TeamEvent'), refTo('ThreadEvent'), refTo('LiveThreadEvent')] };
  const ended = {
    description: 'It ended without an answer (`QueryAnswer`), or went wrong on our side (`Error`).',
    content: { 'application/json': { schema: { anyOf: [refTo('QueryAnswer'), refTo('Error')] } } },
  };
  return {
    '/query': {
      post: {
        summary: 'Send a message to the team, and wait for its answer or until people have to act',
        parameters: [again],
        requestBody: body('QueryRequest'),
        responses: {
          200: answer('success', 'QueryAnswer'),
          202: answer('People have the next word, or the work goes on; `status` says which.', 'QueryAnswer'),
          500: ended,
          ...errors(400, 401, 403, 409, 413, 422, 429, 503),
        },
      },
    },
    '/query/stream': {
      post: {
        summary: 'Send a message to the team, and listen until it has its answer',
        description:
          'Server-sent events: `hitl_required`, `hitl_approved`, `hitl_denied`, `hitl_timeout`, `action_required` and, at last, `done`; else the events of the thread.',
        parameters: [
          again,
          header('Last-Event-ID', 'Only what came after. Goes with the Idempotency-Key of the message.'),
        ],
        requestBody: body('QueryRequest'),
        responses: {
          200: {
            description: 'Event names and data.',
            content: { 'text/event-stream': { schema: stream } },
          },
          ...errors(400, 401, 403, 409, 413, 422, 429, 503),
        },
      },
    },
    '/hitl/respond': {
      post: {
        summary: 'Decide all that is left of what an agent asks',
        requestBody: body('HitlResponse'),
        responses: {
          200: answer('It is decided.', 'HitlAnswer'),
          ...errors(400, 401, 403, 404, 409, 413, 422, 503),
        },
      },
    },
  };
}

/** The parameters of a query, as its schema has them. */
export function queryParameters(query: z.ZodObject) {
  const { properties = {} } = z.toJSONSchema(query, { unrepresentable: 'any', io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

/** How full the limits of the day are, and what is allowed besides. */
export function limitPaths() {
  return {
    '/api/limits': {
      get: {
        summary: 'Read how full today’s limits are',
        description: 'The fullest first. Asks for a key with the scope `read` or `admin`.',
        parameters: queryParameters(limitListQuerySchema),
        responses: { 200: answer('A page.', 'LimitList'), ...errors(400, 401, 403, 503) },
      },
    },
    '/api/limits/extensions': {
      post: {
        summary: 'Allow more of a limit until the day ends, as an admin’s card does',
        description: 'Asks for a key with the scope `admin`.',
        requestBody: body('LimitExtension'),
        responses: {
          200: answer('The limit, as it is then.', 'LimitUse'),
          ...errors(400, 401, 403, 404, 409, 413, 422, 503),
        },
      },
    },
    '/api/limits/extensions/take-back': {
      post: {
        summary: 'Take back what was allowed of a limit; what was used of it stays used',
        description: 'Asks for a key with the scope `admin`.',
        requestBody: body('LimitQuestion'),
        responses: {
          200: answer('The limit, as it is then.', 'LimitUse'),
          ...errors(400, 401, 403, 404, 409, 413, 422, 503),
        },
      },
    },
  };
}

/** How the process is, and what it does. */
export function healthPaths() {
  return {
    '/metrics': {
      get: {
        summary: 'What this process does, in Prometheus’ text format',
        responses: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
          ...errors(401, 403, 503),
        },
      },
    },
    '/health-check': {
      get: { summary: 'Whether the server answers', security: [], responses: { 200: OK } },
    },
    '/livez': { get: { summary: 'Whether the process lives', security: [], responses: { 200: OK } } },
    '/readyz': {
      get: {
        summary: 'Whether store, Slack and MCP servers are there and no drain is under way',
        security: [],
        responses: { 200: OK, 503: { description: 'Not ready; `checks` says why.' } },
      },
    },
  };
}
