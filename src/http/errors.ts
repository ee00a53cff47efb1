import { type RefusalCode, RefusalError } from '../gate/types.ts';
import { AppError } from '../lib/errors.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { OUR_FAULT, PIPELINED, STOPPING } from './texts.ts';

type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503;

/** When to try again unless the error says so, in milliseconds. */
export const RETRY_MS = 5_000;

interface HttpErrorOptions {
  readonly status: ErrorStatus;
  readonly code: string;
  readonly userMessage: string;
  readonly details?: Json;
  /** When to try again, in milliseconds. @default 5 seconds, with 429 and 503 */
  readonly retryAfterMs?: number;
}

/** A request that is answered with this status; nothing that it asked for was done. */
export class HttpError extends AppError {
  readonly status: ErrorStatus;
  readonly details: Json | null;
  readonly retryAfterMs: number;

  constructor({ status, code, userMessage, details = null, retryAfterMs = RETRY_MS }: HttpErrorOptions) {
    super({ code, userMessage, retryable: status === 503 });
    this.status = status;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The refusal of a process that stops. */
export function draining(): HttpError {
  return new HttpError({ status: 503, code: 'draining', userMessage: STOPPING });
}

/** Whether it's the refusal of a process that stops, which is no fault. */
export function isDraining(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'draining';
}

/** The refusal of a request that waits, sent while its connection waits for the answer to another. */
export function pipelined(): HttpError {
  return new HttpError({ status: 400, code: 'pipelined', userMessage: PIPELINED });
}

interface ErrorAnswer {
  readonly status: ErrorStatus;
  readonly body: JsonObject;
}

const REFUSALS: Record<RefusalCode, ErrorStatus> = {
  unknown_call: 409,
  not_allowed: 403,
  already_decided: 409,
  changed: 409,
  expired: 409,
  not_applicable: 422,
  feedback_required: 422,
  confirmation_required: 422,
  web_required: 403,
  invalid_arguments: 422,
  denied_by_policy: 403,
};

/** Errors of other modules that aren't our fault. */
const APP_ERRORS: Readonly<Record<string, ErrorStatus>> = {
  unknown_program: 403,
  unknown_call: 404,
  bad_cursor: 400,
  too_many_wait: 429,
  notebook_too_long: 422,
};

/** The error response: never a stack, never the text of an error that is not our own. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof HttpError) return answer(error.status, error, error.details);
  if (error instanceof RefusalError) {
    const callId = error.call?.callId;
    const details = {
      ...(callId === undefined ? {} : { call_id: callId }),
      ...(error.details.length === 0 ? {} : { problems: [...error.details] }),
    };
    return answer(REFUSALS[error.refusal], error, Object.keys(details).length === 0 ? null : details);
  }
  if (error instanceof AppError)
    return answer(APP_ERRORS[error.code] ?? (error.retryable ? 503 : 500), error, null);
  return answer(
    500,
    {
      code: 'internal',
      userMessage: OUR_FAULT,
    },
    null,
  );
}

function answer(
  status: ErrorStatus,
  { code, userMessage }: { readonly code: string; readonly userMessage: string },
  details: Json | null,
): ErrorAnswer {
  return {
    status,
    body: { error: { code, message: userMessage, ...(details === null ? {} : { details }) } },
  };
}
