import type { Gate } from '../gate/index.ts';
import type { CallRecord, Program, Progress } from '../gate/types.ts';
import type { Account, CallTool } from '../tools/ports.ts';
import { isJobUnderWay } from './next-step.ts';
import type { Dispatch, LiveEvent } from './ports.ts';
import { createRunRetries } from './retry-budget.ts';
import { runningCalls } from './texts.ts';

/** Sends approved calls, within their run's retry budget, and shows a status while they run. */
export function createDispatch({
  gate,
  callTool,
  toAccount,
  onProgress,
}: {
  readonly gate: Pick<Gate, 'calls'>;
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
        await callTool({
          ...context,
          ...counts,
          isUnderWay: isJobUnderWay(call),
          call: { callId, kind, tool, modelName: tool.modelName, arguments: args },
          mayRetry,
          onProgress(progress) {
            context.emit({ type: 'tool_progress', callId, title: tool.title, progress });
            onProgress(call, progress);
          },
        }).catch((error: unknown) => {
          // It was stopped before it was begun, and whoever stopped it ends it.
          if (error !== context.signal.reason) throw error;
        });
      }),
    );
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
