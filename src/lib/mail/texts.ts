/**
 * What people are warned of about those who write, and those who are written to: without commas, as several stand in a row on a
 * card.
 */
export const mailTexts = {
  unreadable: 'This mail can’t be read',
  pageGoesOn: '[The rest of this page wasn’t read.]',
  mailGoesOn: '[The rest of this mail wasn’t read.]',
  otherName: (shown: string, address: string) => `The name says ${shown} but it comes from ${address}`,
  sameName: (other: string, address: string) => `The name is that of ${other} but it comes from ${address}`,
  ownAddress: (address: string) =>
    `It says that it comes from your own address ${address} but nothing shows that you wrote it`,
  severalSenders: 'It names several senders',
  looksLike: (domain: string, trusted: string) => `${domain} looks like ${trusted} and isn’t`,
  looksLikePerson: (address: string, other: string) => `${address} looks like ${other} and isn’t`,
  answersElsewhere: (to: string, from: string) => `Answers go to ${to} instead of ${from}`,
  answersElsewhereToo: (to: string, more: number, from: string) =>
    `Answers go to ${to} and ${more} others instead of ${from}`,
  wasNotIn: (address: string) => `${address} was not in this conversation before`,
  wereNotIn: (address: string, more: number) =>
    `${address} and ${more} others were not in this conversation before`,
  isNew: (address: string) => `${address} is new to this conversation`,
  outsiders: (addresses: readonly string[], domain: string, all: number) => {
    const are = addresses.length === 1 ? 'One is' : `${addresses.length} are`;
    return `${are} outside ${domain} of ${all} who get this: ${addresses.join(' and ')}`;
  },
};

/** What is typed after "when", the usual way first. */
export const MAIL_COMES = {
  any: ['a mail comes', 'a mail arrives', 'an e-mail comes', 'an email comes'],
  ofSender: ['a mail from {sender} comes', 'a mail from {sender} arrives', 'a mail comes from {sender}'],
} as const;
