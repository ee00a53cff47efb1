/** Runs a changed policy over the recorded past, and says which calls it would have treated otherwise. */

import { type Env, readEnv } from '../../config/env.ts';
import { readPolicy } from '../../config/file.ts';
import {
  BUILT_IN_RULES,
  compilePolicy,
  compileSchemaMismatches,
  type ReplayedCall,
  replayPolicy,
} from '../../gate/index.ts';
import { type CallRecord, recordKey } from '../../gate/types.ts';
import { finiteDurationSchema } from '../../lib/duration.ts';
import { formatCodePoint, NOT_ON_ONE_LINE } from '../../lib/unicode.ts';
import { createArgumentValidator } from '../../mcp/index.ts';
import { headline } from '../../presentation/headline.ts';
import type { ValueContext } from '../../presentation/values.ts';
import { findConversation } from '../../runs/index.ts';
import { parseSlackThreadId } from '../../slack/index.ts';
import { compileToolRisk } from '../compose-gate.ts';
import { notSince, REPLAY } from '../texts/policy-replay.ts';
import { type CommandContext, UsageError } from './context.ts';
import { withStore } from './open-store.ts';

interface ReplayOptions {
  /** How far back, as `30d`, or since when, as an ISO 8601 date. */
  readonly from: string;
}

/** Calls that would be treated alike, of one tool. */
interface Change {
  readonly of: ReplayedCall;
  readonly decided: Map<string, number>;
  /** The latest, at most {@link EXAMPLES}. */
  readonly examples: CallRecord[];
  count: number;
}

/** Nobody is connected to Slack here, so ids in arguments stay ids. */
const UNNAMED: ValueContext = {
  user: () => null,
  channel: () => null,
  zoneOf: () => null,
  timeZone: 'UTC',
  findObject: () => null,
  asOf: null,
};

/** How many calls of a change are named. */
const EXAMPLES = 3;

/**
 * Prints what would have been otherwise, the riskiest first: what would run that was asked about or refused, then what would
 * be asked about, then what would be refused. Changes nothing.
 *
 * @param file the policy to try. Default: `COUNTERSIGN_CONFIG`, or `countersign.yaml` in this folder.
 */
export async function printReplay(
  { variables, print }: CommandContext,
  file: string | undefined,
  { from }: ReplayOptions,
): Promise<void> {
  const { policy, permissions, path } = await readPolicy(file ?? variables.COUNTERSIGN_CONFIG ?? null);
  const mismatches = compileSchemaMismatches(policy, createArgumentValidator());
  const since = readSince(from, Date.now());
  const env = readEnv(variables);
  const { changes, calls } = await withStore(env, (store) =>
    gather(
      replayPolicy(
        {
          store,
          evaluate: compilePolicy(policy, BUILT_IN_RULES),
          risk: permissions && {
            findToolRisk: compileToolRisk(permissions),
            findConversation: (threadId) => findConversation(store, threadId),
          },
          isUnfit: (call) => mismatches(call).length > 0,
        },
        { from: since, before: null },
      ),
    ),
  );
  const otherwise = changes.reduce((sum, { count }) => sum + count, 0);
  print(REPLAY.summary({ path, calls, otherwise, since }));
  for (const change of changes) for (const line of describeChange(change, env)) print(plain(line));
}

async function gather(replayed: AsyncIterable<ReplayedCall>) {
  const changes = new Map<string, Change>();
  let calls = 0;
  for await (const one of replayed) {
    calls += 1;
    if (!one.isOtherwise) continue;
    const { tool, state, decision } = one.call;
    const key = JSON.stringify([one.was, one.verdict.action, tool.server, tool.name, one.verdict.rule]);
    const change: Change = changes.get(key) ?? { of: one, decided: new Map(), examples: [], count: 0 };
    changes.set(key, change);
    change.count += 1;
    const how = state === 'expired' ? state : (decision?.type ?? null);
    if (how !== null) change.decided.set(how, (change.decided.get(how) ?? 0) + 1);
    change.examples.push(one.call);
    if (change.examples.length > EXAMPLES) change.examples.shift();
  }
  const byRisk = [...changes.values()].toSorted(
    (one, other) => rank(one.of) - rank(other.of) || other.count - one.count,
  );
  return { changes: byRisk, calls };
}

function rank({ verdict }: ReplayedCall): number {
  return ['allow', 'ask', 'deny'].indexOf(verdict.action);
}

function describeChange(
  { of: { was, verdict, call }, count, decided, examples }: Change,
  env: Pick<Env, 'publicUrl' | 'slack'>,
): readonly string[] {
  const tool = `${call.tool.server}.${call.tool.name}`;
  return [
    '',
    REPLAY.change({ was, is: verdict.action, count, tool, rule: verdict.rule }),
    ...(decided.size === 0 ? [] : [`  ${REPLAY.decided([...decided])}`]),
    ...examples
      .toReversed()
      .flatMap((it) => [
        `  ${new Date(it.proposedAt).toISOString()}  ${it.requester.name}: ${headline(it, UNNAMED)}`,
        `    ${linkTo(it, env)}`,
      ]),
  ];
}

/** The call's page, where people can reach one; else where it is in Slack's own web client, or its id in `/api/calls`. */
function linkTo(call: CallRecord, { publicUrl, slack }: Pick<Env, 'publicUrl' | 'slack'>): string {
  const key = recordKey(call);
  if (publicUrl !== null) return `${publicUrl}/dashboard/calls/${encodeURIComponent(key)}`;
  const thread = parseSlackThreadId(call.threadId);
  // The local workspace has no such client.
  if (!thread || slack === null) return key;
  const { team, channel, threadTs } = thread;
  return `https://app.slack.com/client/${team}/${channel}/thread/${channel}-${threadTs}`;
}

/** Names come from anywhere: none may move a terminal's cursor, or look like a line of ours. */
function plain(line: string): string {
  return line.replace(NOT_ON_ONE_LINE, formatCodePoint);
}

function readSince(text: string, now: number): number {
  const length = finiteDurationSchema.safeParse(text);
  const at = length.success ? now - length.data : Date.parse(text);
  if (Number.isNaN(at)) throw new UsageError(notSince(text));
  return at;
}
