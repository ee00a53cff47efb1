/** The texts of `countersign policy replay`. */

export function notSince(text: string): string {
  return `"${text}" is no time such as 30d, 12h or 2026-11-30.`;
}

const ACTION_WAS = { allow: 'ran without asking', ask: 'people were asked', deny: 'was refused' } as const;
const ACTION_IS = {
  allow: 'would run without asking',
  ask: 'people would be asked',
  deny: 'would be refused',
} as const;
type Action = keyof typeof ACTION_WAS;

/** What `countersign policy replay` prints. */
export const REPLAY = {
  summary({
    path,
    calls,
    otherwise,
    since,
  }: {
    readonly path: string;
    readonly calls: number;
    readonly otherwise: number;
    readonly since: number;
  }): string {
    const past = `${calls} ${calls === 1 ? 'call' : 'calls'} since ${new Date(since).toISOString()}`;
    if (calls === 0) return `${path}: there is no call since ${new Date(since).toISOString()}.`;
    return `${path}: of ${past}, ${otherwise === 0 ? 'none' : otherwise} would be treated otherwise.`;
  },
  change({
    was,
    is,
    count,
    tool,
    rule,
  }: {
    readonly was: Action;
    readonly is: Action;
    readonly count: number;
    readonly tool: string;
    readonly rule: string;
  }): string {
    const how =
      was === is
        ? 'people were asked → others would be, or otherwise'
        : `${ACTION_WAS[was]} → ${ACTION_IS[is]}`;
    return `${tool} ×${count}: ${how} (rule: ${rule})`;
  },
  decided: (counts: readonly (readonly [decision: string, count: number])[]): string =>
    `people said: ${counts.map(([decision, count]) => `${decision} ×${count}`).join(', ')}`,
};
