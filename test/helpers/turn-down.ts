import type { Message, SlackEmulator } from '@countersign/slack-emulator';

const PERSON = 'U0ANA00001';

/** Ana turns a call down on its card: by _Feedback_, or by what _More…_ offers, with words in its form. */
export async function turnDown(
  driver: SlackEmulator['driver'],
  card: Message,
  how: string,
  words: Readonly<Record<string, string>>,
): Promise<void> {
  const ana = driver.as(PERSON);
  const isMore = how !== 'Feedback';
  await ana.click(card, isMore ? 'More…' : how);
  const opened = await ana.waitForModal();
  if (isMore) {
    await ana.useElement(how);
    await ana.waitForModal((view) => view.callbackId !== opened.callbackId);
  }
  ana.fill(words);
  await ana.submit();
}
