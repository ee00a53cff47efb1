import type { LiveEvent } from './ports.ts';
import { runningCalls } from './texts.ts';

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
