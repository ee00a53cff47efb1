/** Somebody of the local workspace, with the address of their mailbox. */
export interface MailPerson {
  readonly name: string;
  readonly address: string;
}

/** Where the people of the local workspace have their mailboxes. */
const DOMAIN = 'example.com';

/** The people of the local workspace, by their ids in Slack. */
const PEOPLE: Readonly<Record<string, MailPerson>> = {
  U0ANA00001: { name: 'Ana Almeida', address: `ana@${DOMAIN}` },
  U0BOB00001: { name: 'Bob Berger', address: `bob@${DOMAIN}` },
  U0CAROL001: { name: 'Carol Costa', address: `carol@${DOMAIN}` },
};

export const ANA = PEOPLE.U0ANA00001?.address ?? '';

/** The mailboxes that are there before a mail comes. */
export const MAILBOXES: readonly MailPerson[] = Object.values(PEOPLE);

/** Whose mailbox a person has, by their id such as `slack:T1:U1`; that of somebody else has an address made of the id. */
export function findMailPerson(personId: string): MailPerson {
  const user = personId.split(':').at(-1) ?? '';
  const known = Object.hasOwn(PEOPLE, user) ? PEOPLE[user] : undefined;
  if (known !== undefined) return known;
  const local = personId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return { name: user, address: `${local}@${DOMAIN}` };
}

/** The name of whoever has the mailbox; the address itself where it's outside of the workspace. */
export function nameMailbox(address: string): string {
  return MAILBOXES.find((one) => one.address === address)?.name ?? address;
}
