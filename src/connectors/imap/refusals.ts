import { UnclearProblem } from '../../lib/text/tool-answers.ts';
import { toOneLine } from '../../lib/unicode.ts';
import { clip } from '../service/api.ts';

/** Longest part of a server's own message that is passed on, in characters. */
const LONGEST_MESSAGE = 300;

/** Without the server's own words, which may repeat what it was given. */
export function refusedSignIn(user: string): UnclearProblem {
  return new UnclearProblem(
    `the mail server refused the sign-in of ${user}; an admin has to correct user or password of this mailbox, and some providers want an app password`,
  );
}

/** @param said the server's own words: nothing says whether it would refuse the same later */
export function serverSays(said: string): UnclearProblem {
  const why = clip(toOneLine(said).replace(/\.$/, ''), LONGEST_MESSAGE);
  return new UnclearProblem(`the mail server refused${why === '' ? '' : `: ${why}`}`);
}
