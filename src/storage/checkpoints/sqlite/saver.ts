import type { DatabaseSync } from 'node:sqlite';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { openSqliteFile } from '../../sqlite/database.ts';
import { RowsSaver } from '../row-saver.ts';
import { openCheckpointRows } from './rows.ts';

/** Checkpoints in SQLite. */
export class SqliteSaver extends RowsSaver {
  readonly #database: DatabaseSync;
  readonly #ownsDatabase: boolean;

  /**
   * `source` is the database file's path, or a database that is already open; it may be the store's file.
   * `random` gives numbers from 0 up to 1, like Math.random. Throws StoreError when the file cannot be opened.
   */
  constructor(source: string | DatabaseSync, serde?: SerializerProtocol, random: () => number = Math.random) {
    const database = typeof source === 'string' ? openSqliteFile(source) : source;
    super(openCheckpointRows(database), serde, random);
    this.#database = database;
    this.#ownsDatabase = typeof source === 'string';
  }

  /** Closes the database that was opened here; one that was handed in stays open. */
  close(): void {
    if (this.#ownsDatabase && this.#database.isOpen) this.#database.close();
  }
}
