import type { CallRecord, CallRisk, RiskSource, Taint } from '../gate/types.ts';
import { isJsonObject, type Json } from '../lib/json.ts';
import { formatShortMoment } from './text/time.ts';
import { visible } from './text/visible.ts';
import { RISK } from './texts.ts';

/** What a card says of the risk of a call. */
interface RiskText {
  readonly summary: string;
  /** Which call set what, and when, in milliseconds since the epoch. */
  readonly sources: readonly { readonly words: string; readonly at: number }[];
}

/** What the session of a call had read and written when people were asked, in words; null where nothing is to be told. */
export function describeRisk({ risk }: Pick<CallRecord, 'risk'>): RiskText | null {
  if (risk === undefined) return null;
  const { session } = risk;
  const found = (['private', 'untrusted', 'write'] as const).flatMap((flag) => {
    const source = session[flag];
    return source === null ? [] : [{ words: sourceWords(RISK.sources[flag], source), at: source.at }];
  });
  const { highest } = session;
  const level =
    highest !== null && highest.callKey !== session.private?.callKey
      ? [{ words: sourceWords(RISK.level(highest.acl), highest), at: highest.at }]
      : [];
  return { summary: summarize(risk), sources: [...found, ...level] };
}

function sourceWords(what: string, { tool }: RiskSource): string {
  return RISK.source(what, visible(tool));
}

function summarize({ rule, session, writes }: CallRisk): string {
  const kinds = ['private', 'untrusted'] as const;
  const read = kinds.filter((kind) => session[kind] !== null).map((kind) => RISK.reads[kind]);
  if (rule === 'access_level') return RISK.accessLevel(session.highest?.acl ?? '');
  if (rule === 'trifecta' && read.length === 0) return writes ? RISK.unknownTool : RISK.readsAfterWrite;
  const missing = kinds.filter((kind) => session[kind] === null).map((kind) => RISK.reads[kind]);
  if (rule === 'trifecta' && missing.length > 0) return RISK.completes(read, missing, { writes });
  return RISK.session(read, { writes });
}

/** The marks on arguments that nobody has changed since: what a person edits, a person has typed. */
export function currentTaints({ risk, arguments: now, proposedArguments }: CallRecord): readonly Taint[] {
  const taints = risk?.taints ?? [];
  return taints.filter(
    ({ path }) => JSON.stringify(valueAt(now, path)) === JSON.stringify(valueAt(proposedArguments, path)),
  );
}

function valueAt(args: Json, path: Taint['path']): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, args);
}

/** The note beside an argument that holds text of strangers; null for any other. */
export function describeTaint(
  taints: readonly Taint[],
  argument: string,
  { timeZone, asOf }: { readonly timeZone: string; readonly asOf: number | null },
): string | null {
  const own = taints.filter(({ path }) => path[0] === argument);
  const [first] = own;
  if (first === undefined) return null;
  const { tool, at } = first.source;
  const where = own
    .map(({ path }) => path.slice(1).map(visiblePlace).join(''))
    .filter((place) => place !== '');
  const toTheMinute = new Date(at - (at % 60_000)).toISOString();
  const when = formatShortMoment(toTheMinute, timeZone, asOf);
  return RISK.taint(where.slice(0, MOST_PLACES), visible(tool), when);
}

/** How many places inside of an argument are named. */
const MOST_PLACES = 5;

function visiblePlace(key: string | number): string {
  return typeof key === 'number' ? `[${key + 1}]` : `.${visible(key)}`;
}
