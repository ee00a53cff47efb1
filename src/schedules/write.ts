import type { AuditLog, AuditNote } from '../gate/types.ts';
import { put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type ScheduleRecord, schedules } from './collections.ts';

interface WriterPorts {
  readonly store: Store;
  readonly audit: Pick<AuditLog, 'append'>;
}

/** A record as it was read, and what it's to be; without a value it's deleted. */
interface Written {
  readonly stored: Stored<ScheduleRecord>;
  readonly value: ScheduleRecord | null;
}

/**
 * Writes records as long as nobody else has changed them; null where somebody has changed one. `note` is put into the audit by
 * the same commit.
 */
export function createWriter({ store, audit }: WriterPorts) {
  async function writeAll(
    all: readonly Written[],
    note?: AuditNote,
  ): Promise<readonly Stored<ScheduleRecord>[] | null> {
    for (;;) {
      const line = note ? await audit.append([note]) : { expect: [], put: [] };
      const result = await store.commit({
        expect: [...all.map(({ stored }) => unchanged(schedules, stored)), ...line.expect],
        put: [
          ...all.flatMap(({ stored, value }) => (value ? [put(schedules, stored.id, value)] : [])),
          ...line.put,
        ],
        delete: all.flatMap(({ stored, value }) => (value ? [] : [ref(schedules, stored.id)])),
      });
      if (result.committed) {
        const { version } = result;
        return all.map(({ stored, value }) => ({ ...stored, version, value: value ?? stored.value }));
      }
      if (result.conflict.collection === schedules.name) return null;
    }
  }
  return {
    writeAll,
    async write(stored: Written['stored'], value: Written['value'], note?: AuditNote) {
      return (await writeAll([{ stored, value }], note))?.[0] ?? null;
    },
  };
}
export type WriteSchedules = ReturnType<typeof createWriter>['writeAll'];
export type WriteSchedule = ReturnType<typeof createWriter>['write'];
