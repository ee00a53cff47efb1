import { number, table } from '../markdown.ts';
import { round } from '../statistics.ts';
import { describeBusyness } from '../surroundings.ts';
import type { ApprovalsAtOnce } from './approvals-at-once.ts';
import type { WaitingBegins } from './begins.ts';
import type { FullRecord } from './full-record.ts';
import type { HangingTools } from './hanging-tools.ts';
import type { ManyCalls } from './many-calls.ts';

/** What one person's work costs the others, and what much of it at once costs the process. */
export interface LoadSections {
  readonly hangingTools: HangingTools;
  readonly manyCalls: ManyCalls;
  readonly approvalsAtOnce: ApprovalsAtOnce;
  readonly waitingBegins: WaitingBegins;
  /** Absent in results of before it was measured. */
  readonly fullRecord?: FullRecord;
}

/** The sections about load; also on their own, with `-- --load`. */
export function loadSections({
  hangingTools,
  manyCalls,
  approvalsAtOnce,
  waitingBegins,
  fullRecord,
}: LoadSections): string[] {
  return [
    ...hangingToolsSection(hangingTools),
    ...manyCallsSection(manyCalls),
    ...approvalsSection(approvalsAtOnce),
    ...beginsSection(waitingBegins),
    ...(fullRecord ? fullRecordSection(fullRecord) : []),
  ];
}

/** The pages over a full record; also on its own, with `-- --record`. */
export function fullRecordSection({ at, busyness, calls, pages, ...memory }: FullRecord): string[] {
  return [
    '## A full record',
    `What is read of ${number(calls)} calls in the record of one process on SQLite, one after another, with the key or as somebody who has signed in. Measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}. At most 100 ms each are wanted. The process takes ${String(round(memory.residentBytes / 1e6))} MB after a first round over all pages, and ${String(round(memory.grownBytes / 1e6))} MB more after ${memory.grownLaterBytes === undefined ? 'all others' : `twenty more of them; another twenty add ${String(round(memory.grownLaterBytes / 1e6))} MB`}.`,
    table(
      ['request → whole answer (ms)', 'median', 'p95', 'at most'],
      pages.map(({ what, p50, p95, max }) => [what, String(p50), String(p95 ?? '–'), String(max)]),
    ),
  ];
}

function beginsSection({
  at,
  busyness,
  begins,
  decisions,
  bytesEach,
  wakeP50,
  wakeP99,
}: WaitingBegins): string[] {
  return [
    '## Programs that wait',
    `${number(begins)} functions of programs (\`/agent/begin\`) wait at once on one process on SQLite, each with a card in Slack; ${decisions} of them are then approved there, one after another. Measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}.`,
    table(
      ['memory each (kB)', 'click → answer, median (ms)', 'p99 (ms)'],
      [[String(round(bytesEach / 1_000)), String(wakeP50), String(wakeP99)]],
    ),
  ];
}

function hangingToolsSection(figures: HangingTools): string[] {
  const { at, busyness, hanging, messages, idleP50, idleMax, busyP50, busyMax, flood } = figures;
  return [
    '## Tools of one person that hang, and a flood of messages',
    `${messages} messages of another person, one after the other, each on a new thread of the whole core on SQLite, whose model answers at once. Measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}. At most 2 × is wanted; it is ${round(busyP50 / idleP50)} × in the median. \`test/unit/runs/fair-shares.test.ts\` holds that they are answered at all.`,
    table(
      ['message → answer of another person (ms)', 'median', 'at most'],
      [
        ['nothing hangs', String(idleP50), String(idleMax)],
        [`${hanging} tools hang`, String(busyP50), String(busyMax)],
        ...(flood ? floodRows(flood) : []),
      ],
    ),
  ];
}

function floodRows(flood: NonNullable<HangingTools['flood']>): string[][] {
  const { messages, modelMs, idleP50, p50, max } = flood;
  return [
    [`a model that takes ${modelMs} ms, and nothing else is under way`, String(idleP50), ''],
    [`the same, with ${messages} messages of somebody else always under way`, String(p50), String(max)],
  ];
}

function manyCallsSection({ at, busyness, rounds, idleLivezMax, rows }: ManyCalls): string[] {
  const perCall = (cpu: number, calls: number) => String(round(cpu / calls));
  const [few, many] = [rows[0], rows.at(-1)];
  const further = few && many ? perCall(many.cpu - few.cpu, many.calls - few.calls) : 'unknown';
  const worst = Math.max(...rows.map(({ livezMax }) => livezMax));
  return [
    '## Many calls of one answer',
    `A process on SQLite with \`max_calls_per_answer\` and \`max_concurrent_calls\` lifted, whose model answers at once with so many allowed reads of the calendar, over MCP. Each turn is a \`POST /run\` on a new thread, ${rounds} turns each: wall and processor time are medians. Meanwhile another thread asks the process for \`/livez\` every 20 ms. How late that thread’s own timer was is what the machine adds by itself. Measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}; with nothing to do, the worst answer took ${idleLivezMax} ms.`,
    table(
      [
        'calls',
        'wall (ms)',
        'CPU (ms)',
        'CPU per call (ms)',
        '`/livez` median (ms)',
        'at most',
        'timer late by at most (ms)',
      ],
      rows.map(({ calls, wall, cpu, livezP50, livezMax, lateMax }) => [
        number(calls),
        number(wall),
        number(cpu),
        perCall(cpu, calls),
        String(livezP50),
        String(livezMax),
        String(lateMax),
      ]),
    ),
    `Each call beyond the first ${few?.calls} took ${further} ms of processor time, the calendar’s included. \`/livez\` is wanted in 200 ms at most; it took ${worst}. \`test/contract/many-calls.test.ts\` and \`test/unit/mcp/arguments/time-limit.test.ts\` hold the counts that this rests on.`,
  ];
}

function approvalsSection({ at, busyness, approvals, rows }: ApprovalsAtOnce): string[] {
  return [
    `## ${approvals} approvals at once`,
    `A process on SQLite in which ${approvals} calls that create an event wait, each approved by a request of its own, all sent at the same moment. Slack shows five cards for a message, so the clicks are those of ${approvals / 5} people with five each. Everything that the calls do is in the figures, and so is the calendar, which writes its file anew for each event. Measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}.`,
    table(
      [
        '',
        'wall (ms)',
        'CPU (ms)',
        'acknowledged, median (ms)',
        'at most',
        'commits',
        'lost or refused',
        'in doubt',
        'events created',
        'of them different',
      ],
      rows.map((row) => [
        row.way,
        number(row.wall),
        number(row.cpu),
        number(row.ackP50),
        number(row.ackMax),
        number(row.commits),
        String(row.lost),
        String(row.inDoubt),
        String(row.created),
        String(row.different),
      ]),
    ),
    'A `POST /resume` is answered when the thread still waits for people, or else when the run has ended. Its requests are all of one thread, whose calls are read again after each change: this part grows with their square.',
  ];
}
