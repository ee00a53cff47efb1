import { renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { readLogState } from './log-state.ts';

/**
 * Loaded before a process under test by `--import`, which knows nothing of it: notes how far the write-ahead log of the
 * database reached when a sync began, once that has ended. `CHAOS_SYNCED_LOG` names the database.
 */
const path = z.string().parse(process.env.CHAOS_SYNCED_LOG);
const handle = await open('/dev/null');
const FileHandle = z.custom<typeof handle>().parse(Object.getPrototypeOf(handle));
await handle.close();

const { datasync } = FileHandle;
FileHandle.datasync = async function () {
  const before = readLogState(path);
  await datasync.call(this);
  // Whole at once: the process may be killed at any moment.
  writeFileSync(`${path}.synced.new`, JSON.stringify(before));
  renameSync(`${path}.synced.new`, `${path}.synced`);
};
