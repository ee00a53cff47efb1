import { stemmer } from 'stemmer';

/** Words that say nothing about which tool is meant. */
const STOP_WORDS = new Set(
  [
    'a about after again all also am an and any are as at be been both but by can could did do does done each for',
    'from get give go got had has have he hey hi how i if in into is it its just last let like ll me my need no not',
    'now of on one only or other our out over per please s she so some still such t than that the their them then',
    'there these they this those to too tool tools up us use used useful user users using want was we what when where',
    'while who whose why will with would you your',
  ].flatMap((line) => line.split(' ')),
);

/** Words of tools, each with what people say for it. */
const PEOPLE_SAY = {
  create: 'add file make new open save start write remember',
  delete: 'drop forget remove',
  directory: 'folder',
  direction: 'drive route walk',
  distance: 'drive',
  document: 'doc',
  documentation: 'doc',
  engagement: 'call phone',
  contact: 'customer person',
  crm: 'customer deal lead',
  extract: 'grab',
  history: 'said say',
  image: 'photo picture',
  issue: 'bug problem',
  kubernetes: 'k8s',
  list: 'all see show which',
  memory: 'forget remember',
  merge: 'mr',
  message: 'said say send tell',
  modify: 'change',
  monitor: 'watch',
  move: 'rename',
  observation: 'remember',
  page: 'doc site website',
  post: 'send tell write',
  pull: 'pr',
  read: 'see show',
  reply: 'answer',
  repository: 'repo',
  request: 'mr pr',
  rollback: 'undo',
  scrape: 'grab',
  screenshot: 'picture',
  search: 'find look which',
  size: 'big large',
  status: 'check',
  update: 'change close edit mark rename set write',
  url: 'site website',
  website: 'internet web',
};
/** The terms of tools that a person's term may stand for. */
const SYNONYMS = Map.groupBy(
  Object.entries(PEOPLE_SAY).flatMap(([term, said]) =>
    said.split(' ').map((word) => ({ word: stemmer(word), term: stemmer(term) })),
  ),
  ({ word }) => word,
);

/**
 * The terms of a text or a tool's name: the stems of its words, without those that say nothing. `createEvent`
 * and `create_events` both are `creat`, `event`.
 */
export function textTerms(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map(stemmer);
}

/** Other terms for these, by which tools may be called. */
export function synonyms(terms: readonly string[]): string[] {
  return terms.flatMap((word) => (SYNONYMS.get(word) ?? []).map(({ term }) => term));
}
