import { ToolProblem } from '../../lib/text/tool-answers.ts';
import { toOneLine } from '../../lib/unicode.ts';
import { clip } from '../service/api.ts';

/** Longest part of a server's own message that is passed on, in characters. */
const LONGEST_MESSAGE = 300;

/** Without the server's own words, which may repeat what it was given. */
export function refusedSignIn(user: string): ToolProblem {
  return new ToolProblem(
    `the mail server refused the sign-in of ${user}; an admin has to correct user or password of this mailbox, and some providers want an app password`,
  );
}

/** @param said the server's own words */
export function serverSays(said: string): ToolProblem {
  const why = clip(toOneLine(said).replace(/\.$/, ''), LONGEST_MESSAGE);
  return new ToolProblem(`the mail server refused${why === '' ? '' : `: ${why}`}`);
}
