import type { Ref } from './store.ts';

/** Logs each record that cannot be read, once: sweeps and lists come by it every few seconds. */
export function createDamagedRecordLog(log: { error(details: object, message: string): void }) {
  const logged = new Set<string>();
  return ({ collection, id }: Ref): void => {
    const name = JSON.stringify([collection, id]);
    if (logged.has(name)) return;
    logged.add(name);
    log.error(
      { collection, id },
      'damaged record: it was left as it is, and what needs it is not done. The rest goes on.',
    );
  };
}
