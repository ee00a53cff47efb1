import { AppError } from '../errors.ts';
import { answerTooLarge, endedForLongMessage } from './texts.ts';

/** A response that exceeds the size limit. */
export class AnswerTooLargeError extends AppError {
  constructor(from: string, maxBytes: number) {
    super({ code: 'answer_too_large', userMessage: answerTooLarge(from, maxBytes) });
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<unknown>;
}

/**
 * Passes the bytes of a body through, up to `maxBytes`; in an event stream the limit is per event.
 * Beyond that it fails with AnswerTooLargeError.
 */
export function limitBody(
  body: BodyReader,
  limit: {
    readonly from: string;
    readonly maxBytes: number;
    readonly isEventStream: boolean;
    readonly onTooLarge: (error: AnswerTooLargeError) => void;
  },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const count = limit.isEventStream ? eventBytes() : allBytes();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await body.read();
      if (done || value === undefined) return controller.close();
      if (count(value) <= limit.maxBytes) return controller.enqueue(new Uint8Array(value));
      const error = new AnswerTooLargeError(limit.from, limit.maxBytes);
      limit.onTooLarge(error);
      controller.error(error);
      await body.cancel(error);
    },
    cancel: async (reason) => void (await body.cancel(reason)),
  });
}

function allBytes(): (chunk: Uint8Array) => number {
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    return size;
  };
}

/** The size of the largest event in the chunk, including what came of it before; an empty line ends an event. */
function eventBytes(): (chunk: Uint8Array) => number {
  let size = 0;
  let lineIsEmpty = true;
  return (chunk) => {
    let largest = 0;
    for (const byte of chunk) {
      size += 1;
      if (size > largest) largest = size;
      if (byte === CARRIAGE_RETURN) continue;
      if (byte === LINE_FEED && lineIsEmpty) size = 0;
      lineIsEmpty = byte === LINE_FEED;
    }
    return largest;
  };
}

/**
 * Why the SDK ended a server's process: it reads 10 MB of one message at most, and has no error code for more.
 * The first half of a sentence; null for any other error.
 */
export function describeOversize({ message }: Error, server: string): string | null {
  if (!message.startsWith('ReadBuffer exceeded maximum size')) return null;
  return endedForLongMessage(server);
}
