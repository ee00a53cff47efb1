/** A process that a test starts: opens the store in the file that it is given, and closes it. */

import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';

await openSqliteStore({ path: process.argv[2] ?? '' }).close();
