import type { JsonObject } from './json.ts';

/** What every error that the emulator throws on purpose extends. Compare `code`, never `message`. */
export class EmulatorError extends Error {
  readonly code: string;
  /** What happened and what to do next, for a person to read. */
  readonly userMessage: string;

  constructor(code: string, userMessage: string, cause?: unknown) {
    super(`${code}: ${userMessage}`, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.userMessage = userMessage;
  }
}

/** The options can't be used, so the emulator didn't start. `code` is `bad_config`. */
export class EmulatorConfigError extends EmulatorError {
  constructor(userMessage: string, cause?: unknown) {
    super('bad_config', userMessage, cause);
  }
}

/** Slack refuses what the app asked: `code` is Slack's error, `details` are the answer's other fields. */
export class SlackRefusal extends EmulatorError {
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(code, `Slack refused: ${code}.`);
    this.details = details;
  }
}

/** The workspace refuses what a person tried; `userMessage` is what they see. */
export class PersonRefusal extends EmulatorError {}
