import { toLine } from '../../lib/text/model-answer.ts';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import { type Api, NothingThere } from '../service/api.ts';
import { answers, EMAIL, type FoundPerson, PERSON_ID, readNext, toPerson } from './schemas.ts';

/**
 * How many people are looked through for a name: a page of a thousand is the most that Slack gives, and it allows 20 pages a minute.
 * @see https://docs.slack.dev/reference/methods/users.list
 */
const PAGE = 1_000;
const MOST_PAGES = 5;
/** Most people who are named where several have a name. */
const MOST_NAMED = 5;
/** Of each name and title of theirs, in characters. */
const LONGEST_QUOTE = 60;

/**
 * The one person who is meant by an id, an e-mail address or a name, with or without an @. A name counts only if exactly one
 * active person has it, as any of their names: who takes somebody's name for themselves gets none of their messages.
 *
 * Rejects with ToolProblem if there's nobody, or several, who are named then.
 */
export async function findPerson(api: Api, given: string): Promise<FoundPerson> {
  const found = await (PERSON_ID.test(given)
    ? known(given, () => api('/users.info', answers.person, { query: { user: given } }))
    : EMAIL.test(given)
      ? known(given, () => api('/users.lookupByEmail', answers.person, { query: { email: given } }))
      : findByName(api, given));
  if (found.deleted) throw new ToolProblem(`${describe(found)} isn’t active any more`);
  if (found.is_bot || found.id === SLACKBOT)
    throw new ToolProblem(`${describe(found)} is an app, and no person`);
  return found;
}

/** Which Slack counts among people. */
const SLACKBOT = 'USLACKBOT';

async function known(given: string, ask: () => Promise<{ user: FoundPerson }>): Promise<FoundPerson> {
  try {
    return (await ask()).user;
  } catch (error) {
    if (error instanceof NothingThere) throw new ToolProblem(`Slack has nobody with ${given}`);
    throw error;
  }
}

async function findByName(api: Api, given: string): Promise<FoundPerson> {
  const wanted = toComparable(given.replace(/^@/, ''));
  const found: FoundPerson[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const asked = { query: { limit: PAGE, cursor } };
    const { members, response_metadata: metadata } = await api('/users.list', answers.people, asked);
    found.push(...members.filter((one) => isPerson(one) && listNames(one).includes(wanted)));
    cursor = readNext(metadata) ?? undefined;
    if (cursor === undefined) break;
  }
  // Somebody further on might have the same name.
  if (cursor !== undefined) {
    throw new ToolProblem(
      'there are too many people to look for a name: an id or an e-mail address finds them',
    );
  }
  const [only, ...others] = found;
  if (only === undefined) throw new ToolProblem(`Slack has nobody called “${given}”`);
  if (others.length > 0) throw new ToolProblem(severalCalled(given, found));
  return only;
}

function isPerson({ id, deleted, is_bot: isBot }: FoundPerson): boolean {
  return !deleted && !isBot && id !== SLACKBOT;
}

function listNames({ name, real_name: realName, profile }: FoundPerson): string[] {
  const names = [name, realName, profile?.display_name, profile?.real_name];
  return names.flatMap((one) => (one ? [toComparable(one)] : []));
}

function toComparable(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

function severalCalled(given: string, found: readonly FoundPerson[]): string {
  const named = found.slice(0, MOST_NAMED).map(describe);
  const more = found.length - named.length;
  return `several people are called “${given}”: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}. Say who it is by their id`;
}

/** What isn't the person's own to write comes first. The rest is in quotes that it can't end, or it could name somebody else. */
function describe(person: FoundPerson): string {
  const { id, name, display_name: display, email, title } = toPerson(person);
  const written = [name, display === name ? null : display, title].filter((one) => one !== null);
  return `${email === null ? id : `${id}, ${email}`} (${written.map(quote).join(', ')})`;
}

function quote(text: string): string {
  return `"${toLine(text, LONGEST_QUOTE).replace(/["“”„‟«»()[\]{}\\]/g, '\\$&')}"`;
}
