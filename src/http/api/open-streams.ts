import { HttpError } from '../errors.ts';
import { tooManyStreams } from '../texts.ts';

/** Counts a stream of a key; returns how to end it. Throws HttpError 429 if the key has the most that it may have. */
export type OpenStream = (keyName: string) => () => void;

/** How many event streams each key has open, at most `maxStreams`. */
export function createOpenStreams(maxStreams: number): OpenStream {
  const open = new Map<string, number>();
  return (keyName) => {
    const streams = open.get(keyName) ?? 0;
    if (streams >= maxStreams) {
      throw new HttpError({
        status: 429,
        code: 'too_many_streams',
        userMessage: tooManyStreams(maxStreams),
      });
    }
    open.set(keyName, streams + 1);
    return () => {
      const left = (open.get(keyName) ?? 1) - 1;
      if (left > 0) open.set(keyName, left);
      else open.delete(keyName);
    };
  };
}
