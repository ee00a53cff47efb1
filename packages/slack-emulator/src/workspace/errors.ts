import { AppError } from '../errors.ts';
import type { JsonObject } from '../json.ts';

/** Slack says no to the app: `code` is Slack's error, `details` what stands beside it in the answer. */
export class SlackRefusal extends AppError {
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super({ code, userMessage: `Slack refused: ${code}.` });
    this.details = details;
  }
}

/** The workspace says no to a person who uses it; `userMessage` is what they see. */
export class PersonRefusal extends AppError {
  constructor(code: string, userMessage: string) {
    super({ code, userMessage });
  }
}
