import fc from 'fast-check';
import type { Membership, Whereabouts } from '../../src/knowledge/ports.ts';
import type { JsonObject } from '../../src/lib/json.ts';

interface Somebody {
  readonly id: string;
  readonly membership: Membership;
}

interface Room {
  readonly id: string;
  readonly members: readonly string[];
}

export interface WorldDocument {
  readonly id: string;
  /** By which key of the API it was given, as `api:…`, or where else it is from. */
  readonly origin: string;
  readonly name: string;
  readonly title: string | null;
  readonly kind: string;
  readonly section: string;
  readonly changedAt: number | null;
  readonly owner: string | null;
  readonly readers: readonly string[];
  /** The channels that it's shared with. */
  readonly shares: readonly string[];
  /** Its passages; none where it can't be read. */
  readonly texts: readonly string[];
  /** Brought since vectors were made last, or, for a key of the API that asks, not learned yet. */
  readonly isNew: boolean;
}

/** Who is where, and which documents there are. */
export interface World {
  readonly people: readonly Somebody[];
  readonly rooms: readonly Room[];
  readonly documents: readonly WorldDocument[];
  /** What the directory can't say now. */
  readonly unknown: readonly (keyof Omit<Whereabouts, 'findPlace'>)[];
  /** Whether there is a model that makes vectors; `away`: it has made those of the documents, and can't be reached now. */
  readonly vectors: 'none' | 'made' | 'away';
  /** Whether a model puts what is found into another order. */
  readonly isReranked: boolean;
}

/** What one of the people asks: in a room, in a direct message (`dm`), or by a program. */
export interface Question {
  readonly asker: string;
  readonly place: string;
  /** A tool of the server of documents, what is typed or looked at in Slack, or a request to the API. */
  readonly ask: string;
  readonly arguments: JsonObject;
  /** What is asked after that in the same way. */
  readonly again?: readonly JsonObject[];
}

/** Few, so that they are in several documents; two of them mean the same as another. Names are given twice, too. */
const WORDS = ['budget', 'hotel', 'lodging', 'payroll', 'salary', 'layoffs', 'merger', 'trains'];
const NAMES = ['plan.md', 'notes.txt', 'report.pdf'];
const TITLES = ['The merger', 'Staff'];
const PEOPLE = ['slack:T1:U1', 'slack:T1:U2', 'slack:T1:U3', 'slack:T1:U4', 'api:key'];
const ROOMS = ['slack:T1:C1', 'slack:T1:C2', 'slack:T1:C3'];
const DAY = '2027-01-01';

/** Everybody who may read anything. */
export const EVERY_READER = [
  'workspace',
  ...PEOPLE.map((person) => `person:${person}`),
  ...ROOMS.map((room) => `channel:${room}`),
];

const wordsOf = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 });

const documentOf: fc.Arbitrary<Omit<WorldDocument, 'id'>> = fc.record({
  origin: fc.constantFrom('slack', 'api:key', 'api:other'),
  name: fc.constantFrom(...NAMES),
  title: fc.option(fc.constantFrom(...TITLES)),
  kind: fc.constantFrom('text', 'pdf'),
  section: fc.constantFrom('', 'Costs › Hotels'),
  changedAt: fc.constantFrom(null, 1_000, Date.parse(DAY)),
  owner: fc.option(fc.constantFrom(...PEOPLE)),
  readers: fc.subarray(EVERY_READER, { minLength: 1, maxLength: 2 }),
  shares: fc.oneof(
    { arbitrary: fc.constant([]), weight: 4 },
    { arbitrary: fc.subarray(ROOMS, { minLength: 1, maxLength: 1 }), weight: 1 },
  ),
  texts: fc.array(
    wordsOf.map((words) => words.join(' ')),
    { maxLength: 3 },
  ),
  isNew: fc.boolean(),
});

/** Worlds of five people, three channels and up to six documents. */
export const worlds: fc.Arbitrary<World> = fc.record({
  people: fc
    .tuple(
      ...PEOPLE.map(() =>
        fc.oneof(
          { arbitrary: fc.constant('inside' as const), weight: 5 },
          { arbitrary: fc.constant('outside' as const), weight: 2 },
          { arbitrary: fc.constant('none' as const), weight: 1 },
        ),
      ),
    )
    .map((memberships) =>
      PEOPLE.map((id, at) => ({ id, membership: id === 'api:key' ? 'inside' : (memberships[at] ?? 'none') })),
    ),
  rooms: fc
    .tuple(...ROOMS.map(() => fc.subarray(PEOPLE.slice(0, 4))))
    .map((members) => ROOMS.map((id, at) => ({ id, members: members[at] ?? [] }))),
  documents: fc
    .array(documentOf, { minLength: 1, maxLength: 6 })
    // Only who brought a document can share it.
    .map((documents) =>
      documents.map((one, at) => ({ ...one, id: `d${at}`, shares: one.owner === null ? [] : one.shares })),
    ),
  unknown: fc.oneof(
    { arbitrary: fc.constant([]), weight: 4 },
    {
      arbitrary: fc.subarray(['findMembership' as const, 'hasOutsiders' as const, 'listChannels' as const]),
      weight: 1,
    },
  ),
  vectors: fc.constantFrom('none', 'made', 'made', 'away'),
  isReranked: fc.constantFrom(false, false, true),
});

const name = fc.constantFrom(...NAMES, 'none.md');

/** What may be asked of the agent's tools, by the tool. */
const ASKED: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  search_documents: fc
    .record({
      words: fc.subarray(WORDS, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
      about: fc.constantFrom('', '', '', ' in plan.md', ' of “The merger”', ' in the pdf'),
      limit: fc.integer({ min: 1, max: 8 }),
      only: fc.oneof(
        { arbitrary: fc.constant({}), weight: 2 },
        {
          arbitrary: fc.record(
            {
              kind: fc.constantFrom('text', 'pdf'),
              document: fc.constantFrom(...NAMES, ...TITLES, 'plan'),
              since: fc.constant(DAY),
            },
            { requiredKeys: [] },
          ),
          weight: 1,
        },
      ),
    })
    .map(({ words, about, limit, only }) => ({ query: words + about, limit, ...only })),
  list_documents: fc.constant({}),
  read_document: fc.record({
    name,
    from: fc.integer({ min: 1, max: 3 }),
    which: fc.integer({ min: 1, max: 3 }),
  }),
};

function askedOf(
  places: readonly string[],
  askers: readonly string[],
  asked: Readonly<Record<string, fc.Arbitrary<JsonObject>>>,
): fc.Arbitrary<Question> {
  return fc
    .record({
      asker: fc.constantFrom(...askers),
      place: fc.constantFrom(...places),
      ask: fc.constantFrom(...Object.keys(asked)),
    })
    .chain((question) =>
      (asked[question.ask] ?? fc.constant({})).map((args) => ({ ...question, arguments: args })),
    );
}

const { search_documents: search, ...others } = ASKED;
const PLACES = ['dm', 'program', ...ROOMS];

export const searches: fc.Arbitrary<Question> = askedOf(PLACES, PEOPLE, {
  search_documents: search ?? fc.constant({}),
});

/** Several searches of one person in one place. */
export const manySearches: fc.Arbitrary<Question> = fc
  .tuple(searches, fc.array(searches, { minLength: 3, maxLength: 3 }))
  .map(([first, others]) => ({ ...first, again: others.map((one) => one.arguments) }));

export const questions: fc.Arbitrary<Question> = fc.oneof(
  { arbitrary: searches, weight: 1 },
  { arbitrary: askedOf(PLACES, PEOPLE, others), weight: 1 },
);

/** What people share, which changes the world. */
export const sharings: fc.Arbitrary<Question> = askedOf(['dm', ...ROOMS], PEOPLE, {
  share_document: name.map((one) => ({ name: one })),
  unshare_document: name.map((one) => ({ name: one })),
});

/** What people look at in Slack. */
export const looks: fc.Arbitrary<Question> = askedOf(['dm', ...ROOMS], PEOPLE.slice(0, 4), {
  '/countersign documents': fc.constant({}),
  '/countersign forget': fc.record({
    given: fc.constantFrom(...NAMES, 'none.md', linkTo('d0'), linkTo('d1')),
    isAdmin: fc.boolean(),
  }),
  Home: fc.constant({}),
});

/** What programs ask the API, each with a key of its own. */
export const requests: fc.Arbitrary<Question> = askedOf(['program'], ['api:key', 'api:other'], {
  'GET /documents': fc.record({
    query: fc.constantFrom('', '?limit=1', '?limit=2', '?state=learned', '?state=problem', '?state=waiting'),
  }),
  'GET /documents/:id': fc.record({ id: fc.constantFrom('d0', 'd1', 'd2', 'none') }),
  'DELETE /documents/:id': fc.record({ id: fc.constantFrom('d0', 'd1', 'd2', 'none') }),
});

/** Whether it's what somebody looks at in Slack, alone. */
export function isLook({ ask }: Question): boolean {
  return ask === 'Home' || ask.startsWith('/countersign ');
}

/** Whether it's a request to the API. */
export function isRequest({ ask }: Question): boolean {
  return /^[A-Z]+ \//.test(ask);
}

/** Where people find a document. */
export function linkTo(id: string): string {
  return `https://example.com/${id}`;
}

/** Whether somebody may read a document, by the words of the record and by nothing of the program. */
export function mayRead({ people, rooms }: World, id: string, document: WorldDocument): boolean {
  const person = people.find((one) => one.id === id);
  if (person === undefined || person.membership === 'none') return false;
  const inRoom = (room: string) => rooms.some((one) => one.id === room && one.members.includes(id));
  return (
    document.readers.includes(`person:${id}`) ||
    (person.membership === 'inside' && document.readers.includes('workspace')) ||
    rooms.some(({ id: room }) => document.readers.includes(`channel:${room}`) && inRoom(room)) ||
    document.shares.some(inRoom)
  );
}

/** Those who read the answer. Apps and closed accounts in a channel are nobody. */
export function audience({ people, rooms }: World, { asker, place }: Question): readonly string[] {
  const members = rooms.find(({ id }) => id === place && !asker.startsWith('api:'))?.members ?? [];
  const isNobody = (id: string) => people.find((one) => one.id === id)?.membership === 'none';
  return [asker, ...members.filter((id) => !isNobody(id))];
}

/** Whether somebody can ask this: with a closed account nobody looks at anything in Slack, nor in a channel that they aren't in. */
export function isPossible({ people, rooms }: World, question: Question): boolean {
  const { asker, place } = question;
  if (!isLook(question)) return true;
  const isOpen = people.some(({ id, membership }) => id === asker && membership !== 'none');
  return isOpen && (rooms.find(({ id }) => id === place)?.members.includes(asker) ?? true);
}

/** Whether something of a document may be in the answer, by the words of the record. */
function mayShow(world: World, question: Question, document: WorldDocument): boolean {
  const { asker, ask } = question;
  // A key is told of what was given with it, and of what everybody may read.
  if (isRequest(question)) return document.origin === asker || document.readers.includes('workspace');
  // Only who types a command or opens a Home sees it, and what they brought stays theirs to forget.
  if (isLook(question)) return document.owner === asker || mayRead(world, asker, document);
  const isByOwner = ask.endsWith('share_document') && document.owner === asker;
  return isByOwner || audience(world, question).every((id) => mayRead(world, id, document));
}

/** The world without what somebody who reads the answer may not read, but for what its owner shares by the question. */
export function withoutUnreadable(world: World, question: Question): World {
  return { ...world, documents: world.documents.filter((document) => mayShow(world, question, document)) };
}
