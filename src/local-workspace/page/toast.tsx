import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';

const ReportContext = createContext<(work: Promise<unknown>) => void>(() => {});

/** Watches something that the page does in the background and says so if it is refused. */
export function useReport(): (work: Promise<unknown>) => void {
  return useContext(ReportContext);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState<string | null>(null);
  const report = useCallback((work: Promise<unknown>) => {
    work.catch((error: unknown) => setText(error instanceof Error ? error.message : String(error)));
  }, []);
  return (
    <ReportContext.Provider value={report}>
      {children}
      {text !== null && (
        <div className="toast" role="alert">
          <span>{text}</span>
          <button type="button" className="button button-quiet" onClick={() => setText(null)}>
            Dismiss
          </button>
        </div>
      )}
    </ReportContext.Provider>
  );
}
