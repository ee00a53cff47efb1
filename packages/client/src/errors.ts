import { TOOL } from './texts.ts';

interface PermissionErrorOptions {
  /** The function, as its card names it. */
  readonly tool: string;
  /** Why, in sentences: who refused it and in what words, or that nobody decided in time. */
  readonly reason: string;
  /** The call at the gate; null where the gate named none. */
  readonly callId: string | null;
}

/** The call may not run: people refused it, nobody decided in time, or the policy forbids it. It did not run. */
export class PermissionError extends Error {
  override readonly name = 'PermissionError';
  readonly tool: string;
  readonly reason: string;
  readonly callId: string | null;

  constructor({ tool, reason, callId }: PermissionErrorOptions) {
    super(TOOL.mayNotRun(tool, reason));
    this.tool = tool;
    this.reason = reason;
    this.callId = callId;
  }
}

/**
 * The gate could not be asked: it is not reachable, did not answer in time, does not know the key, or answered
 * something else than a decision. The call did not run.
 */
export class GateUnavailableError extends Error {
  override readonly name = 'GateUnavailableError';
  /** The HTTP status that it answered; null if it answered none. */
  readonly status: number | null;

  constructor(message: string, { status = null, cause }: { status?: number | null; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}
