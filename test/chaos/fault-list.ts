export type StorageKind = 'sqlite' | 'redis';

const BOTH = ['sqlite', 'redis'] as const;

/** Everything that chaos does to a running Countersign; `faults.ts` has how. */
const FAULTS = [
  { name: 'kill at a random point', storage: BOTH },
  { name: 'kill while a call is being sent', storage: BOTH },
  { name: 'kill after the effect, before the outcome', storage: BOTH },
  { name: 'kill after the outcome', storage: BOTH },
  { name: 'kill before the ack', storage: BOTH },
  { name: 'kill after the ack of a decision', storage: BOTH },
  { name: 'SIGTERM in the middle of a call', storage: BOTH },
  { name: 'crash loop', storage: BOTH },
  { name: 'pause beyond the ack', storage: BOTH },
  { name: 'events four times, shuffled', storage: BOTH },
  { name: 'Slack connection breaks', storage: BOTH },
  { name: 'Slack answer lost', storage: BOTH },
  { name: 'Slack resets and stumbles', storage: BOTH },
  { name: 'Slack says 429', storage: BOTH },
  { name: 'card deleted', storage: BOTH },
  { name: 'tool connections break', storage: BOTH },
  { name: 'clock ten minutes ahead', storage: BOTH },
  { name: 'clock ten minutes behind', storage: BOTH },
  { name: 'clocks jump', storage: BOTH },
  { name: 'power cut', storage: ['sqlite'] },
  { name: 'power cut after the ack of a decision', storage: ['sqlite'] },
  { name: 'store locked', storage: ['sqlite'] },
  { name: 'worker paused past its lease', storage: ['redis'] },
  { name: 'Redis killed and restarted', storage: ['redis'] },
  { name: 'Redis does not answer', storage: ['redis'] },
  { name: 'Redis out of memory', storage: ['redis'] },
  { name: 'Redis out of reach of one process', storage: ['redis'] },
  { name: 'Redis answer lost', storage: ['redis'] },
  { name: 'wake-ups wiped', storage: ['redis'] },
] as const satisfies readonly FaultKind[];

/** Those that take half a minute and more. */
export const LONG_FAULTS = ['store away for 30 s', 'Slack says 429 for 30 s', 'crash loop of 100'] as const;
export type LongFaultName = (typeof LONG_FAULTS)[number];

/** How far a clock may be off, in milliseconds: ten minutes. */
export const FAR_OFF_MS = 10 * 60_000;

interface FaultKind {
  readonly name: string;
  readonly storage: readonly StorageKind[];
}

type ShortFaultName = (typeof FAULTS)[number]['name'];
export type FaultName = ShortFaultName | LongFaultName;

/** The faults that this storage can meet, without the long ones, which any can. */
export function faultsOf(storage: StorageKind): readonly ShortFaultName[] {
  const kinds: readonly (FaultKind & { readonly name: ShortFaultName })[] = FAULTS;
  return kinds.filter((kind) => kind.storage.includes(storage)).map(({ name }) => name);
}
