/** The texts of `countersign documents eval`: how well questions find what they should. */

import { suggestName } from '../../lib/config-errors/did-you-mean.ts';
import { formatCount } from '../../lib/count.ts';

/** The most names that are listed. */
const LISTED = 8;

function amount(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

function list(names: readonly string[]): string {
  const more = names.length > LISTED ? ` and ${formatCount(names.length - LISTED)} more` : '';
  return `${names.slice(0, LISTED).join(', ')}${more}`;
}

/** What the command and its options do. */
export const DOCUMENTS_HELP = {
  documents: 'measure the search through documents',
  eval: 'measure how well questions find what they should',
  questions: 'a YAML file of questions, each with what it should find',
  misses: 'list the questions that found nothing of what they should',
  against: 'show what changed since an earlier run, as --json printed it',
  chart: 'write a picture of the figures (SVG)',
} as const;

export const DOCUMENTS_EVAL = {
  asked: (questions: number, documents: number, passages: number) =>
    `${amount(questions, 'question')} about ${amount(documents, 'document')} in ${amount(passages, 'passage')}`,
  noFolder: (folder: string) => `There is no folder ${folder}. No question was asked.`,
  noFolders: (file: string) =>
    `No folder of documents is named: add folders to ${file}, or knowledge.folders to the configuration. No question was asked.`,
  noDocument: (name: string, known: readonly string[]) => {
    const near = suggestName(name, known);
    const there = known.length === 0 ? 'no document was learned' : `there are ${list(known)}`;
    return `there is no document ${name} that can be searched; ${near === null ? there : `did you mean ${near}?`}`;
  },
  noPage: (name: string, page: number) => `no passage of ${name} is on page ${page}`,
  noSection: (name: string, sections: readonly string[]) =>
    `no passage of ${name} is there under such a heading; ${sections.length === 0 ? 'it has no headings' : `it has ${list(sections)}`}`,
  noKept: (path: string) =>
    `There is no file ${path}: write one with --json > ${path} before you change something. No question was asked.`,
  notKept: (path: string) => `${path} isn't what an earlier --json printed. No question was asked.`,
} as const;
