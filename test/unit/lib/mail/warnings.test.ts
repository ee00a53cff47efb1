import { describe, expect, it, test } from 'vitest';
import { parseAddresses } from '../../../../src/lib/mail/addresses.ts';
import { recipientMarks, senderWarnings } from '../../../../src/lib/mail/warnings.ts';

const ANA = ['ana@example.com', 'a.garden@example.com'];

function warned(
  from: string,
  { replyTo = '', own = ANA, names = ['Ana Almeida'], known = '', before = '', isOwn = false } = {},
): string[] {
  const people = { known: parseAddresses(known), before: parseAddresses(before) };
  return senderWarnings({ from, replyTo, own, names, isOwn, ...people });
}

describe('a sender', () => {
  test.each([
    ['a colleague', 'Bob <bob@example.com>', {}],
    ['a stranger', 'Eve <eve@elsewhere.test>', {}],
    ['a subdomain of the own domain', 'news@mail.example.com', {}],
    ['the same name elsewhere', 'carol@example.org', {}],
    ['one whose name is the address', '"bob@example.com" <Bob@Example.com>', {}],
    ['answers to a subdomain', 'shop@shop.test', { replyTo: 'ticket+1@help.shop.test' }],
    ['two large providers', 'bob@ymail.com', { own: ['ana@gmail.com'] }],
    ['short names that are near', 'bob@abd.test', { own: ['ana@abc.test'] }],
    ['one company’s domains', 'bob@roses.de', { own: ['ana@roses.se'] }],
    ['oneself', 'ana@example.com', { before: 'bob@examp1e.com', isOwn: true }],
  ])('who is %s needs no warning', (_who, from, options) => {
    expect(warned(from, options)).toEqual([]);
  });

  test.each([
    ['"bob@bank.test" <eve@elsewhere.test>', 'bob@bank.test'],
    ['bob＠bank．test <eve@elsewhere.test>', 'bob@bank.test'],
    ['"Bob (bob@bank.test)" <eve@elsewhere.test>', 'bob@bank.test'],
    ['=?UTF-8?B?Ym9iQGJhbmsudGVzdA==?= <eve@elsewhere.test>', 'bob@bank.test'],
    ['=?iso-8859-1?q?Bob=20b=F6b=40bank?= =?utf-8?Q?.test?= <eve@elsewhere.test>', 'böb@bank.test'],
  ])('the name of %s says another address', (from, shown) => {
    expect(warned(from)).toEqual([`The name says ${shown} but it comes from eve@elsewhere.test`]);
  });

  test.each([
    'examp1e.com',
    'exarnple.com',
    'exаmple.com',
    'xn--exmple-4nf.com',
    'exampl.com',
    'exmaple.com',
    'example.co',
    'examp1e.net',
    'example-com.test',
    'example.com.elsewhere.test',
    'secure-example.com',
    'example-support.com',
    'my-example-support.com',
    'examplecom.test',
    'wwwexample.com',
    'éxample.com',
  ])('%s looks like the own domain', (domain) => {
    expect(warned(`bob@${domain}`)).toEqual([`${domain} looks like example.com and isn’t`]);
  });

  test.each([
    ['Bob Berger <bob.berger@freemail.test>', { before: 'Bob Berger <bob@shop.test>' }, 'bob@shop.test'],
    [
      '"Berger, Вob" <eve@evil.test>',
      { before: 'Bob Berger <bob@shop.test>, eve@evil.test' },
      'bob@shop.test',
    ],
    ['Ana Almeida <ana@evil.test>', {}, 'ana@example.com'],
    ['Ana Almeida <ana@evil.test>', { before: 'ana@evil.test' }, 'ana@example.com'],
    ['Bob Berger <bob@evil.test>', { known: 'Bob Berger <bob@example.com>' }, 'bob@example.com'],
  ])('%s has the name of somebody else', (from, options, other) => {
    const address = from.replace(/.*<|>/g, '');
    expect(warned(from, options)).toEqual([`The name is that of ${other} but it comes from ${address}`]);
  });

  test.each([
    ['Bob <bob@freemail.test>', { before: 'Bob <bob@shop.test>' }],
    ['Bob Berger <bob@shop.test>', { before: 'Bob Berger <bob@shop.test>, Bob Berger <eve@evil.test>' }],
    ['Ana Almeida <a.garden@example.com>', { isOwn: true }],
    ['Ana Almeida <ana@home.test>', { known: 'ana@home.test' }],
    ['Ana Almeida <ana@home.test>', { names: ['Ana'] }],
    ['Bob Berger <bob@home.test>', { known: 'Bob Berger <bob@shop.test>' }],
    ['Bob Berger <bob@gmail.com>', { own: ['ana@gmail.com'], known: 'Bob Berger <bobby@gmail.com>' }],
  ])('%s has a name of their own', (from, options) => {
    expect(warned(from, options)).toEqual([]);
  });

  test.each([
    ['bob@f1owershop.test', 'bob@flowershop.test', 'f1owershop.test looks like flowershop.test and isn’t'],
    [
      'bob@flowershopp.test',
      'carol@flowershop.test',
      'flowershopp.test looks like flowershop.test and isn’t',
    ],
    [
      'x@flowershop-billing.test',
      'bob@flowershop.test',
      'flowershop-billing.test looks like flowershop.test and isn’t',
    ],
    [
      'x@flowershop.test.evil.test',
      'bob@flowershop.test',
      'flowershop.test.evil.test looks like flowershop.test and isn’t',
    ],
    ['bob@paypa1.com', 'bob@paypal.com', 'paypa1.com looks like paypal.com and isn’t'],
    ['bob@outlook.de', 'bob@outlook.fr', null],
    ['bob@hotmail.co.uk', 'bob@hotmail.com', null],
    ['bob@ymail.com', 'bob@gmail.com', null],
    ['bob@lamps.test', 'eve@lampy.test', null],
    ['bob@rose-shop.test', 'eve@shop.test', null],
    ['bob@news.flowershop.test', 'eve@flowershop.test', null],
    ['bob@flowershop.test', 'bob@f1owershop.test, eve@flowershop.test', null],
  ])('%s is compared with %s, to whom the owner has written', (from, known, told) => {
    expect(warned(from, { known })).toEqual(told === null ? [] : [told]);
  });

  it('who looks like whom the owner has written to is told when they get a reply', () => {
    const conversation = parseAddresses('x@f1owershop.test');
    const known = parseAddresses('bob@flowershop.test');
    const marks = recipientMarks({ to: ['x@f1owershop.test'], cc: [], own: ANA, conversation, known });
    expect(marks).toEqual(['f1owershop.test looks like flowershop.test and isn’t']);
  });

  it('has one domain, in whichever form it’s written', () => {
    const bob = 'bob@xn--mller-kva.test';
    expect(warned(bob, { before: 'bob@müller.test' })).toEqual([]);
    expect(warned(bob, { before: 'eve@müller.test', known: 'cy@müller.test' })).toEqual([]);
    expect(warned('"bob@müller.test" <bob@xn--mller-kva.test>')).toEqual([]);
    expect(warned(bob, { own: ['ana@müller.test'] })).toEqual([]);
    const to = { to: [bob], cc: [], own: ANA, known: [] };
    expect(recipientMarks({ ...to, conversation: parseAddresses('bob@müller.test') })).toEqual([]);
    const told = ['xn--mlller-3ya.test looks like müller.test and isn’t'];
    expect(warned('bob@xn--mlller-3ya.test', { before: 'eve@müller.test' })).toEqual(told);
  });

  it('needs no mark for a short name that stands in another, unless it’s the own domain', () => {
    expect(warned('bob@abc-news.test', { before: 'bob@abc.test' })).toEqual([]);
    expect(warned('bob@abc-news.test', { own: ['ana@abc.test'] })).toEqual([
      'abc-news.test looks like abc.test and isn’t',
    ]);
    expect(warned('bob@call-me.com', { own: ['ana@me.com'] })).toEqual([]);
  });

  it('who looks like somebody of the conversation is told', () => {
    expect(warned('bob@shopp.test', { before: 'bob@shop.test' })).toEqual([]);
    expect(warned('bob@flowershopp.test', { before: 'Bob <bob@flowershop.test>' })).toEqual([
      'flowershopp.test looks like flowershop.test and isn’t',
    ]);
    expect(warned('bob.smlth@gmail.com', { before: 'bob.smith@gmail.com', own: ['ana@gmail.com'] })).toEqual([
      'bob.smlth@gmail.com looks like bob.smith@gmail.com and isn’t',
    ]);
  });

  it('answers that go to somebody else are told', () => {
    expect(warned('bob@shop.test', { replyTo: 'eve@elsewhere.test' })).toEqual([
      'Answers go to eve@elsewhere.test instead of bob@shop.test',
    ]);
    expect(warned('bob@gmail.com', { replyTo: 'eve@gmail.com' })).toHaveLength(1);
  });

  it('who writes under the owner’s own address is told, unless it’s the owner by what the server says', () => {
    const told =
      'It says that it comes from your own address ana@example.com but nothing shows that you wrote it';
    expect(warned('Ana <ANA@example.com>')).toEqual([told]);
    expect(warned('Ana <ana@example.com>', { isOwn: true })).toEqual([]);
    expect(warned('<eve@elsewhere.test>, <ana@example.com>')).toContain(told);
  });

  it('a mail in the name of several is told', () => {
    expect(warned('Bob <bob@bank.test>, <eve@elsewhere.test>')).toEqual(['It names several senders']);
  });

  it('headers that are no addresses warn of nothing, and hold nobody up', () => {
    expect(warned('Bob')).toEqual([]);
    const before = performance.now();
    for (const piece of ['<', 'a@', '"', '(', 'a@b,', '@.', 'a.', ':', ';'])
      warned(`${piece.repeat(1_000_000)} <eve@elsewhere.test>`, { replyTo: piece.repeat(100_000) });
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

describe('who gets a reply', () => {
  const CONVERSATION = 'Bob <bob@example.com>, ana@example.com, Carol <carol@shop.test>';
  const marks = (to: string[], cc: string[] = [], own = ANA) =>
    recipientMarks({ to, cc, own, known: [], conversation: parseAddresses(CONVERSATION) });

  it('needs no mark if they are in the conversation, or oneself', () => {
    expect(marks(['Carol@shop.test'])).toEqual([]);
    expect(marks(['bob@example.com'], ['ana@example.com', 'a.garden@example.com'])).toEqual([]);
  });

  it('is told if they are new to it', () => {
    expect(marks(['stranger@other.test'])).toEqual(['stranger@other.test is new to this conversation']);
  });

  it('is told if they are outsiders among others', () => {
    expect(marks(['bob@example.com'], ['carol@shop.test'])).toEqual([
      'One is outside example.com of 2 who get this: carol@shop.test',
    ]);
    expect(marks(['bob@example.com'], ['carol@shop.test', 'dan@shop.test'])).toEqual([
      'dan@shop.test is new to this conversation',
      '2 are outside example.com of 3 who get this: carol@shop.test and dan@shop.test',
    ]);
    // Where everybody can have an address, nobody is outside.
    expect(marks(['bob@example.com', 'carol@shop.test'], [], ['ana@gmail.com'])).toEqual([]);
  });

  it('is told if they look like somebody in it', () => {
    expect(marks(['bob@examp1e.com'])).toEqual([
      'bob@examp1e.com is new to this conversation',
      'examp1e.com looks like example.com and isn’t',
    ]);
    expect(marks(['b0b@example.com'])).toEqual([
      'b0b@example.com is new to this conversation',
      'b0b@example.com looks like bob@example.com and isn’t',
    ]);
  });

  it('is told of a look-alike that has got into it, not of whom it looks like', () => {
    const conversation = parseAddresses('carol@flowers.test, carol@fIowers.test, carol@f1owers.test');
    const [carol, , eve] = conversation.map(({ address }) => address);
    expect(
      recipientMarks({
        to: [carol ?? '', eve ?? ''],
        cc: [],
        own: ['ana@gmail.com'],
        known: [],
        conversation,
      }),
    ).toEqual(['f1owers.test looks like flowers.test and isn’t']);
  });
});
