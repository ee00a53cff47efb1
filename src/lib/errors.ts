interface AppErrorOptions {
  readonly code: string;
  /** What happened, what was not done, and what to do next: fit to be shown to a person. */
  readonly userMessage: string;
  /** Whether the same attempt may succeed later without anybody changing anything. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** The only error that crosses a module boundary on purpose; callers compare `code`, never `message`. */
export class AppError extends Error {
  readonly code: string;
  readonly userMessage: string;
  readonly retryable: boolean;

  constructor({ code, userMessage, retryable = false, cause }: AppErrorOptions) {
    super(`${code}: ${userMessage}`, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.userMessage = userMessage;
    this.retryable = retryable;
  }
}

/** The configuration or the environment is not usable; the process does not start. */
export class ConfigError extends AppError {
  constructor(userMessage: string, cause?: unknown) {
    super({ code: 'bad_config', userMessage, cause });
  }
}

/** The store could not be read or written; nothing that depended on it was done. */
export class StoreError extends AppError {
  /** The answer to a write was lost, so it may have happened. Read again to find out. */
  readonly outcomeUnknown: boolean;

  constructor(
    userMessage: string,
    cause?: unknown,
    { outcomeUnknown = false }: { readonly outcomeUnknown?: boolean } = {},
  ) {
    super({ code: 'store_unavailable', userMessage, retryable: true, cause });
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** The store holds a record that this version of the program cannot read; it was left as it is. */
export class DamagedRecordError extends StoreError {
  readonly collection: string;
  readonly id: string;

  constructor(collection: string, id: string) {
    super(
      `The record ${id} in ${collection} is not in the shape this version of the program reads; ` +
        'it was left as it is, and what needed it was not done.',
    );
    this.collection = collection;
    this.id = id;
  }
}

/** Another worker took the thread over; what this one was about to do was not done. */
export class FencedError extends AppError {
  constructor() {
    super({
      code: 'fenced',
      userMessage: 'Another worker has taken over this thread; nothing was done here.',
      retryable: true,
    });
  }
}

/** The reason of signals that end what a person has stopped. */
export class StoppedError extends Error {
  readonly by: { readonly id: string; readonly name: string } | null;

  constructor(by: StoppedError['by']) {
    super('It was stopped.');
    // As whoever doesn't know of this one takes it.
    this.name = 'AbortError';
    this.by = by;
  }
}

/** The message of anything that was thrown, for logs; never for people. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error, what caused it, and the attempts (one for each address of a host) that it sums up. */
export function errorCauses(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  const attempts = error instanceof AggregateError ? error.errors : [];
  return [error, ...errorCauses(error.cause), ...attempts.flatMap(errorCauses)];
}

/** The code of the system, or of a library, as text; empty where there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
