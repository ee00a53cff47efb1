import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { openSqliteFile, type SqliteFile } from '../../sqlite/file.ts';
import { RowsSaver } from '../row-saver.ts';
import { openCheckpointRows } from './rows.ts';

/** Checkpoints in SQLite. */
export class SqliteSaver extends RowsSaver {
  readonly #file: SqliteFile;
  readonly #ownsFile: boolean;

  /**
   * `source` is the database file's path, or a file that is already open; it may be the store's. `random` gives
   * numbers from 0 up to 1, like Math.random. Throws StoreError when the file cannot be opened.
   */
  constructor(source: string | SqliteFile, serde?: SerializerProtocol, random: () => number = Math.random) {
    const file = typeof source === 'string' ? openSqliteFile(source) : source;
    super(openCheckpointRows(file), serde, random);
    this.#file = file;
    this.#ownsFile = typeof source === 'string';
  }

  /** Closes the file that was opened here; one that was handed in stays open. */
  async close(): Promise<void> {
    if (this.#ownsFile) await this.#file.close();
  }
}
