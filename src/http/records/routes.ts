import type { Hono } from 'hono';
import { stream } from 'hono/streaming';
import { type CallOutline, EVERY_CALL, exportEntries, type Gate } from '../../gate/index.ts';
import { type CallRecord, latestFirst } from '../../gate/types.ts';
import { globMatcher } from '../../lib/regex.ts';
import type { Notebooks } from '../../notebook/ports.ts';
import type { ProgramSessions } from '../../programs/index.ts';
import type { Store } from '../../storage/store.ts';
import { type KeyPorts, requireKey } from '../api/auth.ts';
import { readQuery } from '../api/body.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { RECORDS } from '../texts.ts';
import { toActor } from '../threads/ids.ts';
import { collect, type ReadPage } from './collect.ts';
import { fileAnswer } from './file-answer.ts';
import {
  auditQuerySchema,
  type CallQuery,
  callQuerySchema,
  type RequestQuery,
  requestQuerySchema,
  type SessionQuery,
  sessionQuerySchema,
} from './schemas.ts';
import { toCallAnswer, toRequestAnswer, toTime } from './to-record.ts';

export interface RecordPorts {
  readonly gate: Gate;
  readonly programSessions: ProgramSessions;
  readonly store: Store;
  readonly notebooks: Notebooks;
}

/**
 * `/api/calls`, `/api/requests` and `/api/sessions`: what was asked for and what became of it, newest first;
 * `/api/audit`: the audit, as `countersign audit export` writes it.
 */
export function recordRoutes(app: Hono<HttpEnv>, ports: KeyPorts & RecordPorts): void {
  const { gate, programSessions, store, notebooks } = ports;
  const mayRead = requireKey(ports, 'read');

  app.get('/api/calls', mayRead, async (c) => {
    const query = readQuery(c, callQuerySchema);
    const { items, next } = await collect(query, callPages(gate, query, fitsCall(query)));
    return c.json({ calls: latestFirst(items).map(toCallAnswer), next_cursor: next });
  });
  app.get('/api/calls/:id', mayRead, async (c) => {
    const call = await gate.calls.get(c.req.param('id'));
    if (!call) throw notFound();
    return c.json(toCallAnswer(call));
  });

  app.get('/api/requests', mayRead, async (c) => {
    const query = readQuery(c, requestQuerySchema);
    // A request is found at the first of its calls: those of one were proposed at one time, in this order.
    const isFirst = (call: CallOutline) => call.requestId !== null && (call.ordinal ?? 0) === 0;
    const { items, next } = await collect(query, callPages(gate, query, isFirst));
    const found = await Promise.all(items.map(({ requestId }) => findRequest(gate, requestId ?? '')));
    const requests = found.filter((request) => request !== null).filter(fitsRequest(query));
    return c.json({ requests: requests.map(({ answer }) => answer), next_cursor: next });
  });
  app.get('/api/requests/:id', mayRead, async (c) => {
    const found = await findRequest(gate, c.req.param('id'));
    if (!found) throw notFound();
    return c.json(found.answer);
  });

  app.get('/api/sessions', mayRead, async (c) => {
    const query = readQuery(c, sessionQuerySchema);
    const { items, next } = await listSessions(programSessions, query);
    const sessions = items.map((it) => ({
      session_id: it.session,
      program: it.program,
      agent_name: it.agentName,
      agent_type: it.agentType,
      created_at: toTime(it.createdAt),
    }));
    return c.json({ sessions, next_cursor: next });
  });

  app.get('/api/sessions/:id/notebook', mayRead, async (c) => {
    const by = toActor(c.get('caller'));
    // Whoever has a key may give what it reads to anybody.
    const notebook = await notebooks.write(c.req.param('id'), { by, reader: null });
    if (!notebook) throw notFound();
    return fileAnswer(c, notebook.page);
  });
  app.get('/api/sessions/:id/notebook/:file', mayRead, async (c) => {
    const file = await notebooks.file(c.req.param('id'), c.req.param('file'));
    if (!file) throw notFound();
    return fileAnswer(c, file);
  });

  app.get('/api/audit', mayRead, (c) => {
    const { thread = null, from = null, to = null } = readQuery(c, auditQuerySchema);
    c.header('Content-Type', 'application/jsonl');
    return stream(c, async (answer) => {
      for await (const entry of exportEntries(store, { threadId: thread, from, before: to })) {
        if (answer.aborted) return;
        await answer.write(`${JSON.stringify(entry)}\n`);
      }
    });
  });
}

function callPages(
  gate: Gate,
  query: CallQuery | RequestQuery,
  fits: (call: CallOutline) => boolean,
): ReadPage<CallRecord> {
  const search = {
    ...EVERY_CALL,
    session: 'session' in query ? (query.session ?? null) : null,
    threadId: 'thread' in query ? (query.thread ?? null) : null,
    requesterId: query.actor ?? null,
    from: query.from ?? null,
    before: query.to ?? null,
  };
  return (limit, cursor) => gate.calls.search(search, limit, cursor, fits);
}

function listSessions(programSessions: ProgramSessions, { program, limit, cursor }: SessionQuery) {
  return programSessions.list(program ?? null, limit, cursor ?? null);
}

function fitsCall({ status, tool, program }: CallQuery): (call: CallOutline) => boolean {
  const isTool = matchTool(tool);
  return (call) =>
    (status === undefined || call.state === status) &&
    isTool(call) &&
    (program === undefined || call.program?.id === program);
}

interface FoundRequest {
  readonly answer: ReturnType<typeof toRequestAnswer>;
  readonly calls: readonly CallRecord[];
}

function fitsRequest({ status, tool }: RequestQuery): (request: FoundRequest) => boolean {
  const isTool = matchTool(tool);
  return ({ answer, calls }) => (status === undefined || answer.status === status) && calls.some(isTool);
}

function matchTool(glob: string | undefined): (call: CallOutline) => boolean {
  if (glob === undefined) return () => true;
  // In linear time: whoever asks has written it.
  const matches = globMatcher(glob);
  return ({ tool }) => matches(`${tool.server}.${tool.name}`);
}

async function findRequest(gate: Gate, requestId: string): Promise<FoundRequest | null> {
  const request = await gate.requests.get(requestId);
  if (!request) return null;
  const found = await gate.calls.inThread(request.threadId, request.callIds);
  const calls = found.filter((call) => call !== null);
  return { answer: toRequestAnswer(request, calls), calls };
}

function notFound(): HttpError {
  return new HttpError({ status: 404, code: 'not_found', userMessage: RECORDS.notFound });
}
