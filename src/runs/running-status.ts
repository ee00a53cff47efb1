import type { LiveEvent } from './ports.ts';

/** Says under a thread which approved calls run in it: whoever reads along sees it, and can stop them. */
export function createCallStatus() {
  const titles = new Map<string, readonly string[]>();

  function tell(threadId: string, running: readonly string[], emit: (event: LiveEvent) => void): void {
    if (running.length === 0) titles.delete(threadId);
    else titles.set(threadId, running);
    const text = running.length === 0 ? '' : `${[...new Set(running)].join(', ')}…`;
    emit({ type: 'status', text });
  }

  return async (
    { threadId, emit }: { readonly threadId: string; readonly emit: (event: LiveEvent) => void },
    title: string,
    run: () => Promise<void>,
  ): Promise<void> => {
    const now = () => titles.get(threadId) ?? [];
    tell(threadId, [...now(), title], emit);
    try {
      await run();
    } finally {
      tell(threadId, now().toSpliced(now().indexOf(title), 1), emit);
    }
  };
}
