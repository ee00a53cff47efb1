import { expect, it } from 'vitest';
import { recipientMarks, senderWarnings } from '../../../../src/lib/mail/warnings.ts';

const OWN = ['ana@example.com'];

/** So many people at as many domains. */
const crowd = (count: number, name = 'p') =>
  Array.from({ length: count }, (_, index) => `${name}${index}@domain-of-${name}-${index}.test`);
const people = (addresses: readonly string[]) => addresses.map((address) => ({ name: '', address }));

it('marks those who get a reply without delay, however many a conversation names', () => {
  const named = crowd(30_000);
  const [known = ''] = named.slice(-1);
  const to = [...crowd(50, 'new'), known];
  const before = performance.now();
  const marks = recipientMarks({
    to,
    cc: crowd(50, 'copy'),
    own: OWN,
    known: people(named),
    conversation: people(named),
  });
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(marks.filter((mark) => mark.endsWith(' is new to this conversation'))).toHaveLength(100);
});

it('finds who looks like those who were in a conversation before a crowd came', () => {
  const conversation = people(['carol@flowershop.test', ...crowd(3_000)]);
  const looks = 'flowershopp.test looks like flowershop.test and isn’t';
  expect(
    recipientMarks({ to: ['carol@flowershopp.test'], cc: [], own: OWN, known: [], conversation }),
  ).toContain(looks);
  const facts = {
    from: 'carol@flowershopp.test',
    replyTo: '',
    own: OWN,
    names: [],
    known: [],
    before: conversation,
    isOwn: false,
  };
  expect(senderWarnings(facts)).toEqual([looks]);
});

it('says of answers that go to a crowd how many these are, in one sentence', () => {
  const warnings = (count: number) =>
    senderWarnings({
      from: 'eve@evil.test',
      replyTo: crowd(count).join(', '),
      own: OWN,
      names: [],
      known: [],
      before: [],
      isOwn: false,
    });
  expect(warnings(3)).toHaveLength(3);
  expect(warnings(900)).toEqual([
    'Answers go to p0@domain-of-p-0.test and 899 others instead of eve@evil.test',
  ]);
});
