import { expect, it } from 'vitest';
import { listPeople, readPeople, strangerWarnings } from '../../../../src/lib/mail/conversation.ts';

const OWN = ['ana@example.com'];

const mail = (from: string, to: string, cc = '') => readPeople({ from, to, cc });
const addresses = (...mails: ReturnType<typeof mail>[]) =>
  listPeople(mails, OWN).map(({ address }) => address);
const FIRST = mail('Bob <bob@shop.test>', 'ana@example.com', 'carol@shop.test');

it('a conversation is of those of its first mail, and of whom they bring in', () => {
  expect(addresses(FIRST)).toEqual(['bob@shop.test', 'ana@example.com', 'carol@shop.test']);
  expect(addresses(FIRST, mail('carol@shop.test', 'dan@other.test'))).toContain('dan@other.test');
  expect(
    addresses(mail('bob@shop.test', 'list@shop.test'), mail('Ana@Example.com', 'eve@other.test')),
  ).toContain('eve@other.test');
});

it('nobody gets into a conversation by writing mails that name themselves answers', () => {
  const mallory = mail('mallory@evil.test', 'ana@example.com', 'partner@evil.test');
  const several = mail('bob@shop.test, mallory@evil.test', 'ana@example.com');
  expect(addresses(FIRST, mallory, mallory, several, mail('', 'mallory@evil.test'))).toEqual(
    addresses(FIRST),
  );
  const answered = mail('ana@example.com', 'mallory@evil.test');
  expect(addresses(FIRST, mallory, answered, mallory)).toContain('partner@evil.test');
});

it('strangers who write into it or are in copy are named, or counted where they are many', () => {
  const known = { own: OWN, before: listPeople([FIRST], OWN) };
  expect(strangerWarnings(mail('carol@shop.test', 'x@new.test', 'Ana@example.com'), known)).toEqual([]);
  expect(
    strangerWarnings(mail('mallory@evil.test', 'ana@example.com', 'bob@shop.test, eve@evil.test'), known),
  ).toEqual([
    'mallory@evil.test was not in this conversation before',
    'eve@evil.test was not in this conversation before',
  ]);
  const crowd = Array.from({ length: 400 }, (_, index) => `p${index}@crowd.test`).join(', ');
  expect(strangerWarnings(mail('bob@shop.test', '', crowd), known)).toEqual([
    'p0@crowd.test and 399 others were not in this conversation before',
  ]);
  expect(strangerWarnings(FIRST, { own: OWN, before: [] })).toEqual([]);
});
