import { RefusalError } from '../gate/types.ts';

/** What a person wanted can't be done, in words for them. */
export function refusal(
  words: string,
  code: 'not_applicable' | 'not_allowed' = 'not_applicable',
): RefusalError {
  return new RefusalError(code, words);
}
