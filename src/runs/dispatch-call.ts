import type { Gate } from '../gate/index.ts';
import { type CallRecord, type Program, type Progress, recordKey } from '../gate/types.ts';
import { timerSchedule } from '../lib/schedule.ts';
import { createThrottle } from '../lib/throttle.ts';
import type { Account, CallTool } from '../tools/ports.ts';
import { isJobUnderWay } from './next-step.ts';
import type { Dispatch, LiveEvent } from './ports.ts';
import { createRunRetries } from './run/retry-budget.ts';
import { runningCalls } from './texts.ts';

/** Sends approved calls, within their run's retry budget, and shows a status while they run. */
export function createDispatch({
  gate,
  callTool,
  toAccount,
  onProgress,
}: {
  readonly gate: Pick<Gate, 'calls' | 'journal'>;
  readonly callTool: CallTool;
  /** Whose limits the call of a program counts against. */
  readonly toAccount: (program: Program, person: Account) => Account;
  /** Hears of the progress of each call, besides its thread's surface. */
  readonly onProgress: (call: CallRecord, progress: Progress) => void;
}): Dispatch {
  const withRetries = createRunRetries(gate);
  const withStatus = createCallStatus();
  return (call, context) => {
    const { callId, kind, tool, arguments: args, program } = call;
    const counts = program && { account: toAccount(program, context.account), isCounted: true };
    return withRetries(call, (mayRetry) =>
      withStatus(context, tool.title, async () => {
        const kept = keepProgress((progress) =>
          gate.journal.noteProgress(recordKey(call), progress, context.fence),
        );
        await callTool({
          ...context,
          ...counts,
          isUnderWay: isJobUnderWay(call),
          call: { callId, kind, tool, modelName: tool.modelName, arguments: args },
          mayRetry,
          onProgress(progress) {
            // Others read the thread, and the call.
            const shown = progress.isOwn ? { ...progress, message: null } : progress;
            context.emit({ type: 'tool_progress', callId, title: tool.title, progress: shown });
            onProgress(call, progress);
            if (!progress.isOurs) kept.say(shown);
          },
        })
          .catch((error: unknown) => {
            // It was stopped before it was begun, and whoever stopped it ends it.
            if (error !== context.signal.reason) throw error;
          })
          .finally(kept.stop);
      }),
    );
  };
}

/**
 * The pauses between two notes of one call's progress, in milliseconds. The first is before the first note, so that a call
 * that is quick has none. Slack takes 50 updates of messages a minute, which all calls of a workspace share.
 */
const NOTES = { firstMs: 3_000, longestMs: 30_000 };

/** Keeps the progress of one call, the latest each time. It's for people to look at, so failures are ignored. */
function keepProgress(note: (progress: Progress) => Promise<void>) {
  let latest: Progress | null = null;
  const run = async () => {
    if (latest) await note(latest).catch(() => undefined);
  };
  const throttle = createThrottle({ run, schedule: timerSchedule, pauses: NOTES, startsPaused: true });
  return {
    say(progress: Progress): void {
      latest = progress;
      throttle.request();
    },
    stop: throttle.stop,
  };
}

/** Shows under a thread which approved calls run in it, so that everybody there sees it and can stop them. */
export function createCallStatus() {
  const titles = new Map<string, readonly string[]>();

  function report(threadId: string, running: readonly string[], emit: (event: LiveEvent) => void): void {
    if (running.length === 0) titles.delete(threadId);
    else titles.set(threadId, running);
    emit({ type: 'status', text: runningCalls(running) });
  }

  return async (
    { threadId, emit }: { readonly threadId: string; readonly emit: (event: LiveEvent) => void },
    title: string,
    run: () => Promise<void>,
  ): Promise<void> => {
    const now = () => titles.get(threadId) ?? [];
    report(threadId, [...now(), title], emit);
    try {
      await run();
    } finally {
      report(threadId, now().toSpliced(now().indexOf(title), 1), emit);
    }
  };
}
