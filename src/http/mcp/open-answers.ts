import type { OpenAnswer } from './hold.ts';

interface Open {
  readonly client: AbortController;
  isAmbiguous: boolean;
}

/** The answers that clients of `/mcp` wait for in this process, by program and by the id of the request. */
export function createOpenAnswers() {
  const byRequest = new Map<string, Set<Open>>();
  const toName = (program: string, id: string | number) => JSON.stringify([program, id]);

  return {
    open:
      (program: string): OpenAnswer =>
      (id) => {
        const name = toName(program, id);
        const open: Open = { client: new AbortController(), isAmbiguous: false };
        const all = byRequest.get(name) ?? new Set();
        byRequest.set(name, all.add(open));
        return {
          gone: open.client.signal,
          isAmbiguous: () => open.isAmbiguous,
          close() {
            all.delete(open);
            if (all.size === 0) byRequest.delete(name);
          },
        };
      },
    /** A client no longer waits for the answer to this request. */
    cancel(program: string, id: string | number): void {
      const [first, ...others] = byRequest.get(toName(program, id)) ?? [];
      if (others.length === 0) first?.client.abort();
      else for (const open of [first, ...others]) if (open) open.isAmbiguous = true;
    },
  };
}
