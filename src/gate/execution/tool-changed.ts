import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { startDeadline } from '../approval/deadline.ts';
import { callArgumentProblems } from '../call/argument-check.ts';
import { diffDefinitions } from '../call/definition-diff.ts';
import { toolDigest } from '../call/digest.ts';
import { type CallRecord, type ToolSnapshot, toolSnapshotSchema } from '../call/record.ts';
import { clearServerInput } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { TOOL_CHANGES, toolChanged, toolChangedSinceApproval } from '../texts/notices.ts';
import { amendAttempt } from './journal.ts';

/**
 * Asks for a new approval, because the server now offers another tool under the approved name and nothing was
 * sent: people see the call as it would be now, and what has changed. The call fails if nobody was asked
 * about it, or if it no longer fits the tool.
 */
export function reapprove(ports: GatePorts, attempt: CallRecord, tool: ToolSnapshot): Promise<CallRecord> {
  return amendAttempt(ports, attempt, (call) => {
    if (call.state !== 'executing') return null;
    // Whether its read-only hint is trusted isn't known here.
    const { modelName, trusted, graph, account } = call.tool;
    const now = toolSnapshotSchema.parse({
      ...tool,
      ...{ modelName, trusted, graph, account, readOnly: undefined },
    });
    const changes = summarizeChanges(call.tool, now);
    const problems = callArgumentProblems(ports, now, call.arguments);
    if (call.requestId === null || problems.length > 0) {
      const message = toolChanged(call.tool.server, { changes, problems });
      const outcome = { status: 'failed' as const, message, content: [] };
      return {
        type: 'ended',
        call: { ...call, state: 'failed', outcome, endedAt: ports.clock() },
      };
    }
    const again = startDeadline(ports, {
      ...clearServerInput(call),
      tool: now,
      digest: toolDigest(now, call.arguments),
      state: 'pending',
      decision: null,
      intentAt: null,
      redefined: differenceLines(call.tool, now),
      askedAgain: toolChangedSinceApproval(call.tool.server, changes),
      votes: call.votes && [],
    });
    return { type: 'ended', call: again };
  });
}

/** Longest list of changes, in characters: nobody reads more, and no server may fill records with it. */
const MOST_CHANGES = 20_000;

/** The differences, line by line, in what is displayed and bound by the call. */
function differenceLines(before: ToolSnapshot, after: ToolSnapshot): string[] {
  const [was, is] = [before, after].map(({ title, description, inputSchema, destructive }) => ({
    title,
    description,
    inputSchema,
    destructive,
  }));
  const lines = diffDefinitions(was ?? null, is ?? {});
  const kept: string[] = [];
  let room = MOST_CHANGES;
  for (const line of lines) {
    room -= line.length;
    if (room < 0) return [...kept, `… and ${lines.length - kept.length} more`];
    kept.push(line);
  }
  return kept;
}

/** A summary of the differences for people, a few words each. */
function summarizeChanges(before: ToolSnapshot, after: ToolSnapshot): readonly string[] {
  const [was, is] = [readProperties(before.inputSchema), readProperties(after.inputSchema)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const found = [
    ...(before.title === after.title ? [] : [TOOL_CHANGES.title]),
    ...(before.description === after.description ? [] : [TOOL_CHANGES.description]),
    ...names.flatMap((name) => {
      if (!was.has(name)) return [TOOL_CHANGES.newArgument(name)];
      if (!is.has(name)) return [TOOL_CHANGES.noArgument(name)];
      return isDeepStrictEqual(was.get(name), is.get(name)) ? [] : [TOOL_CHANGES.otherArgument(name)];
    }),
    ...(before.destructive === after.destructive
      ? []
      : [after.destructive ? TOOL_CHANGES.destructive : TOOL_CHANGES.harmless]),
  ];
  return found.length === 0 ? [TOOL_CHANGES.hidden] : found;
}

function readProperties({ properties }: JsonObject): ReadonlyMap<string, Json> {
  return new Map(isJsonObject(properties) ? Object.entries(properties) : []);
}
