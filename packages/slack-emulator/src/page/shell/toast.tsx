import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { NotSentError } from '../state/api.ts';
import { SHELL } from '../texts.ts';

/** Long enough to read two sentences, in milliseconds. */
const SHOWN_MS = 8_000;

const ReportContext = createContext<(work: Promise<unknown>) => void>(() => {});
const OnBackContext = createContext<() => void>(() => {});

/** Watches something that the page does in the background and says so if it is refused. */
export function useReport(): (work: Promise<unknown>) => void {
  return useContext(ReportContext);
}

/** Once the connection is back, takes away what was said because it was not there. */
export function useConnectionBack(isLive: boolean): void {
  const onBack = useContext(OnBackContext);
  useEffect(() => {
    if (isLive) onBack();
  }, [isLive, onBack]);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [problem, setProblem] = useState<Error | null>(null);
  const toast = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem === null) return;
    // In the top layer, a form that is open doesn't cover it.
    toast.current?.showPopover();
    const leave = setTimeout(() => setProblem(null), SHOWN_MS);
    return () => clearTimeout(leave);
  }, [problem]);
  const report = useCallback((work: Promise<unknown>) => {
    work.catch((error: unknown) => setProblem(error instanceof Error ? error : new Error(String(error))));
  }, []);
  const onBack = useCallback(() => {
    setProblem((shown) => (shown instanceof NotSentError ? null : shown));
  }, []);
  return (
    <ReportContext.Provider value={report}>
      <OnBackContext.Provider value={onBack}>{children}</OnBackContext.Provider>
      {problem !== null && (
        <div ref={toast} className="toast" role="alert" popover="manual">
          <span>{problem.message}</span>
          <button type="button" className="button button-quiet" onClick={() => setProblem(null)}>
            {SHELL.dismiss}
          </button>
        </div>
      )}
    </ReportContext.Provider>
  );
}
