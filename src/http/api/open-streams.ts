import { HttpError } from '../errors.ts';
import { tooManyStreams } from '../texts.ts';

/** Who opens a stream. */
export interface Reader {
  /** Whose streams count together: a key's name, or a program's id. */
  readonly name: string;
  /** The key or token that it came with. */
  readonly token: string | null;
  /** Whether it still counts. */
  readonly isStillIn: () => Promise<boolean>;
}

/** A stream that is open, as its key's. */
export interface OpenStream {
  /** Resolves when it is to end: its key was revoked, or this process stops. */
  readonly over: Promise<void>;
  /** Says that it has ended. */
  readonly close: () => void;
}

/** The event streams that keys have open in this process. */
export interface OpenStreams {
  /** Counts a stream. Throws HttpError 429 if the key has the most that it may have. */
  open(reader: Reader): OpenStream;
  /** Ends the streams of keys and tokens that no longer count. Rejects with what failed, once all the others were looked up. */
  endRevoked(): Promise<void>;
}

/** Each key has at most `maxStreams` open. All end when `stopping` is aborted. */
export function createOpenStreams(maxStreams: number, stopping: AbortSignal): OpenStreams {
  const open = new Map<Reader, () => void>();
  stopping.addEventListener('abort', () => {
    for (const end of open.values()) end();
  });
  return {
    open(reader) {
      const same = [...open.keys()].filter(({ name }) => name === reader.name);
      if (same.length >= maxStreams) {
        throw new HttpError({
          status: 429,
          code: 'too_many_streams',
          userMessage: tooManyStreams(maxStreams),
        });
      }
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      open.set(reader, end);
      if (stopping.aborted) end();
      return { over, close: () => void open.delete(reader) };
    },
    async endRevoked() {
      // All streams of one token are looked up once.
      const byToken = [...Map.groupBy(open.keys(), ({ token }) => token).values()];
      const looks = await Promise.allSettled(
        byToken.map(async (readers) => {
          if ((await readers[0]?.isStillIn()) !== false) return;
          for (const reader of readers) open.get(reader)?.();
        }),
      );
      const failures = looks.flatMap((look) => (look.status === 'rejected' ? [look.reason] : []));
      if (failures.length === 0) return;
      throw new AggregateError(failures, `failed to look up ${failures.length} of ${looks.length} tokens`);
    },
  };
}
