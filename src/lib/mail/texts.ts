/** What people are warned of about those who write, and those who are written to. */
export const mailTexts = {
  otherName: (shown: string, address: string) => `The name says ${shown}, but it comes from ${address}`,
  severalSenders: 'It names several senders',
  looksLike: (domain: string, trusted: string) => `${domain} looks like ${trusted}, and isn’t`,
  looksLikePerson: (address: string, other: string) => `${address} looks like ${other}, and isn’t`,
  answersElsewhere: (to: string, from: string) => `Answers go to ${to}, not to ${from}`,
  isNew: (address: string) => `${address} is new to this conversation`,
  outsiders: (addresses: readonly string[], domain: string, all: number) =>
    `Of ${all} people who get this, ${addresses.length === 1 ? 'one is' : `${addresses.length} are`} outside ${domain}: ${addresses.join(', ')}`,
};
