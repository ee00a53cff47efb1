import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { CONTEXT_TOO_LONG } from '../models/errors.ts';
import { MODEL_FAILED } from '../texts.ts';

/** The share of the window that is left for the answer, and how much it is at most, in tokens. */
const ANSWER_SHARE = 1 / 4;
const MOST_FOR_ANSWER = 24_000;
/** The share of what is sent that the definitions of tools may take. */
const TOOLS_SHARE = 3 / 5;
/** The share of what is sent that servers may take to say what they are. */
const SAID_SHARE = 1 / 8;
/** The share of the window that the record of earlier turns may take, and its bounds, in tokens. */
const RECORD_SHARE = 1 / 8;
const LEAST_FOR_RECORD = 600;
const MOST_FOR_RECORD = 6_000;
/** The least that a request is made after one that was refused, in tokens: what the prompt and a few tools take. */
const LEAST_SENT = 3_000;
/** How long a refusal counts, in milliseconds: a provider that refused one request for its length may take others. */
const LEARNED_FOR_MS = 60 * 60_000;
/** A conversation that has less room than this can't be gone on with, in tokens. */
const LEAST_FOR_CONVERSATION = 1_200;

/** How many tokens the parts of one request may take. */
interface Room {
  /** All of it. */
  readonly sent: number;
  /** The definitions of the tools. */
  readonly tools: number;
  /** What servers say about themselves. */
  readonly said: number;
  /**
   * What is left beside a prompt and tools of so many tokens.
   * @throws AppError `model_context_too_long` if that is next to nothing
   */
  readonly besides: (taken: number) => {
    readonly conversation: number;
    /** Of that, for the record of earlier turns. */
    readonly record: number;
    /** Of that, for images. */
    readonly images: number;
  };
}

export interface ContextBudget {
  readonly room: () => Room;
  /**
   * Notes that a request was refused as too long.
   * @param sent its tokens, by our estimate
   * @param window what the model takes, if the provider said so
   * @returns whether the next one is smaller
   */
  readonly noteRefused: (sent: number, window: number | null) => boolean;
}

/**
 * How much is sent to the model, by the tokens of a request and its answer (`agent.context_tokens`). What the provider
 * refuses as too long makes it less for an hour: half of what was refused, or of what the model takes.
 */
export function createBudget(contextTokens: number, clock: Clock): ContextBudget {
  const usual = contextTokens - Math.min(MOST_FOR_ANSWER, Math.floor(contextTokens * ANSWER_SHARE));
  let learned = { most: usual, until: 0 };
  const most = () => (clock() < learned.until ? learned.most : usual);
  return {
    room() {
      const sent = most();
      const record = Math.min(MOST_FOR_RECORD, Math.max(LEAST_FOR_RECORD, Math.floor(sent * RECORD_SHARE)));
      return {
        sent,
        tools: Math.floor(sent * TOOLS_SHARE),
        said: Math.floor(sent * SAID_SHARE),
        besides(taken) {
          const conversation = sent - taken;
          if (conversation < LEAST_FOR_CONVERSATION) {
            const userMessage = sent < usual ? MODEL_FAILED.tooLong : MODEL_FAILED.noRoom;
            throw new AppError({ code: CONTEXT_TOO_LONG, userMessage });
          }
          return {
            conversation,
            record: Math.min(record, Math.floor(conversation / 2)),
            images: Math.floor((conversation - LEAST_FOR_CONVERSATION) / 2),
          };
        },
      };
    },
    noteRefused(sent, window) {
      const less = Math.max(LEAST_SENT, Math.floor(Math.min(sent, window ?? sent) / 2));
      if (less >= sent) return false;
      learned = { most: Math.min(most(), less), until: clock() + LEARNED_FOR_MS };
      return true;
    },
  };
}
