import { expect, it } from 'vitest';
import { preferences } from '../../../src/inbox/collections.ts';
import { MOST_OF_A_KIND, MOST_SENDERS } from '../../../src/inbox/preferences.ts';
import { put } from '../../../src/storage/store.ts';
import { mailOf, openInboxes } from '../../helpers/inbox.ts';
import { openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana } from '../../helpers/people.ts';

const BOX = 'slack:T1:U1:mail';

/** Ana's listed mail, after she has said of so many other senders that she wants none of their mails. */
async function openWith(senders: number) {
  const opened = await openInboxes(await openSqliteTwice());
  await opened.turnOn();
  const items = Array.from({ length: senders }, (_, index) => ({
    ...{ id: `p${index}`, kind: 'triage_preferences', text: `Mails from s${index}@example.com: ignore them` },
    ...({ learnedAt: 1, from: 'never_again', mailId: null, evidence: '' } as const),
    sender: { address: `s${index}@example.com`, atMost: 'ignore' },
  })) as never;
  await opened.store.commit({ put: [put(preferences, ana.id, { items, history: [] })] });
  opened.server.mails.push(mailOf(1, { text: 'notify: x' }));
  await opened.next();
  const [mail] = await opened.one.mails(BOX, 'listed');
  return { ...opened, mailId: mail?.id ?? '' };
}

it('is told of a sender, and holds, however many lines and other senders there are, which no model is told', async () => {
  const { one, mailId, model, server, next } = await openWith(MOST_OF_A_KIND + 10);
  for (let number = 0; number < MOST_OF_A_KIND; number += 1)
    await one.addPreference(ana.id, 'triage_preferences', `Tell me of matter ${number}`);
  await expect(one.addPreference(ana.id, 'triage_preferences', 'One more')).rejects.toThrow('There are 40');
  expect(await one.neverAgain(ana.id, mailId)).toMatchObject({ what: 'added' });
  server.mails.push(
    mailOf(2, { text: 'notify: x' }),
    mailOf(3, { text: 'notify: x', from: 'cy@other.test' }),
  );
  await next();
  expect((await one.mails(BOX, 'ignored')).map(({ subject }) => subject)).toEqual(['Question 2']);
  expect(model.questions.at(-1)).toContain('Tell me of matter 39');
  expect(model.questions.at(-1)).not.toContain('ignore them');
});

it('is refused in true words where there are too many senders, or where it’s said already', async () => {
  const { one, mailId, store } = await openWith(MOST_SENDERS);
  await expect(one.neverAgain(ana.id, mailId)).rejects.toThrow(
    `I go by what you said of ${MOST_SENDERS} senders, which is as many as I can`,
  );
  // What is said of them was said longer ago than changes are kept.
  const kept = (await store.get(preferences, ana.id))?.value.items ?? [];
  const [first, ...others] = kept;
  if (!first) throw new Error('nothing is kept');
  const known = { ...first, sender: { address: 'bob@example.com', atMost: 'ignore' as const } };
  await store.commit({ put: [put(preferences, ana.id, { items: [known, ...others], history: [] })] });
  await expect(one.neverAgain(ana.id, mailId)).rejects.toThrow('I go by that already');
});
