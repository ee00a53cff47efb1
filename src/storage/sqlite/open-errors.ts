import { ConfigError, errorMessage, StoreError } from '../../lib/errors.ts';
import { databaseDamaged, databaseFileNotOpened, databaseProblem } from '../texts.ts';

/** SQLite's codes for a file that isn't a database, or is corrupt. */
const DAMAGED = new Set<unknown>([11, 26]);

/**
 * What to tell whoever starts the program about a database that could not be opened: a ConfigError in
 * place of a StoreError, whose words are for those who asked for something; any other error as it is.
 */
export function toOpenError(path: string, error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const { cause } = error;
  if (cause === undefined) return new ConfigError(databaseProblem(path, error.userMessage), error);
  if (cause instanceof Error && 'errcode' in cause && DAMAGED.has(cause.errcode)) {
    return new ConfigError(databaseDamaged(path), error);
  }
  return new ConfigError(databaseFileNotOpened(path, errorMessage(cause)), error);
}
