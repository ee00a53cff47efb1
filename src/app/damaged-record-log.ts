import type { Ref } from '../storage/store.ts';

/** Tells the log once of each record that cannot be read: sweeps and lists come by it every few seconds. */
export function createUnreadable(log: { error(details: object, message: string): void }) {
  const told = new Set<string>();
  return ({ collection, id }: Ref): void => {
    const name = JSON.stringify([collection, id]);
    if (told.has(name)) return;
    told.add(name);
    log.error(
      { collection, id },
      'a record cannot be read; it was left as it is, and what needs it is not done. The rest goes on.',
    );
  };
}
