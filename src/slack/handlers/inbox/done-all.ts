import { type Actor, RefusalError } from '../../../gate/types.ts';
import { isOpen, readDigestBlocks, readListPlace } from '../../inbox/digest-message.ts';
import { DIGEST, MAIL } from '../../texts/inbox.ts';
import { type Click, clickedBlocks, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';

/** How many are marked at a time. */
const AT_ONCE = 4;

/**
 * Marks the mails as done that the list shows in which it was clicked, and no others, each as its own button does. Those that somebody
 * has dealt with meanwhile stay as they are; one that can't be marked keeps none of the others from it.
 * @throws RefusalError for anybody but their owner; where some stay in the list, with how many and why
 */
export async function doneAll(
  { inbox }: Pick<HandlerPorts, 'inbox'>,
  click: Click,
  { id: personId }: Actor,
): Promise<void> {
  const listed = readListPlace(clickedValue(click)) ?? readDigestBlocks(clickedBlocks(click));
  const mailIds = listed?.mailIds ?? [];
  if (mailIds.length === 0) throw new RefusalError('not_applicable', MAIL.gone);
  let tried = 0;
  const failed: unknown[] = [];
  for (let begin = 0; begin < mailIds.length; begin += AT_ONCE) {
    await Promise.all(mailIds.slice(begin, begin + AT_ONCE).map(markOne));
  }
  const [first] = failed;
  if (first instanceof RefusalError)
    throw new RefusalError('not_applicable', DIGEST.doneNotAll(failed.length, tried, first.userMessage));
  if (failed.length > 0) throw first;

  async function markOne(mailId: string): Promise<void> {
    if (!(await isThere(mailId))) return;
    tried += 1;
    try {
      await inbox.done(personId, mailId);
    } catch (error) {
      if (error instanceof RefusalError && error.refusal === 'not_allowed') throw error;
      if (await isThere(mailId)) failed.push(error);
    }
  }

  async function isThere(mailId: string): Promise<boolean> {
    const found = await inbox.find(mailId);
    return found !== null && isOpen(found.mail);
  }
}
