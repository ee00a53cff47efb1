import type { AuditLog, AuditNote } from '../gate/types.ts';
import { put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type ScheduleRecord, schedules } from './collections.ts';

interface WriterPorts {
  readonly store: Store;
  readonly audit: Pick<AuditLog, 'append'>;
}

/**
 * Writes a record as long as nobody else has changed it, or deletes it where there is no value; null where somebody has. `note`
 * is put into the audit by the same commit.
 */
export function createWriter({ store, audit }: WriterPorts) {
  return async function write(
    stored: Stored<ScheduleRecord>,
    value: ScheduleRecord | null,
    note?: AuditNote,
  ): Promise<Stored<ScheduleRecord> | null> {
    for (;;) {
      const line = note ? await audit.append([note]) : { expect: [], put: [] };
      const result = await store.commit({
        expect: [unchanged(schedules, stored), ...line.expect],
        put: [...(value ? [put(schedules, stored.id, value)] : []), ...line.put],
        delete: value ? [] : [ref(schedules, stored.id)],
      });
      if (result.committed) return { ...stored, version: result.version, value: value ?? stored.value };
      if (result.conflict.collection === schedules.name) return null;
    }
  };
}
export type WriteSchedule = ReturnType<typeof createWriter>;
