import type { Workspace } from '../workspace/types.ts';

type Falsy = undefined | null | false | 0 | '';

/**
 * Resolves with what `look` gives as soon as that is truthy; looks now and at every change of the workspace.
 * Rejects after `timeoutMs` with what `describe` says.
 */
export function waitUntil<T>(
  workspace: Workspace,
  look: () => T | Falsy,
  describe: () => string,
  timeoutMs: number,
): Promise<T> {
  const found = look();
  if (found) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const end = (finish: () => void): void => {
      clearTimeout(timer);
      unsubscribe();
      finish();
    };
    const timer = setTimeout(() => end(() => reject(new Error(describe()))), timeoutMs);
    const unsubscribe = workspace.subscribe(() => {
      try {
        const result = look();
        if (result) end(() => resolve(result));
      } catch (error) {
        end(() => reject(error));
      }
    });
  });
}
