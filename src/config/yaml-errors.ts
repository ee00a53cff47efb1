import { type Document, type ErrorCode, visit, type YAMLParseError } from 'yaml';

export interface YamlSyntaxError {
  /** The character at which it shows. */
  readonly offset: number;
  readonly message: string;
}

const STARS = 'a value that begins with * must be in quotes: "*"';

/** The usual slips, by the parser's codes, with what to do. */
const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  TAB_AS_INDENT: 'there is a tab before this. Indent with blanks alone',
  DUPLICATE_KEY: 'this key stands here twice. Leave one of them',
  BAD_INDENT: 'this line is not indented like those it belongs to',
  BLOCK_AS_IMPLICIT_KEY: 'a text with “: ” in it must be in quotes',
  MULTILINE_IMPLICIT_KEY: 'a key has no “: ” after it, or a quote is not closed',
  MULTIPLE_DOCS: 'a second document begins here (---). Keep one',
  BAD_ALIAS: STARS,
  BAD_SCALAR_START: 'a value that begins with @ or ` must be in quotes: "@finance"',
};

/** What keeps a text from being YAML, with what to do; null when nothing does. */
export function findSyntaxError(document: Document): YamlSyntaxError | null {
  const [problem] = document.errors;
  if (problem) return { offset: problem.pos[0], message: describeError(problem) };
  const offset = findUnknownAlias(document);
  return offset === null ? null : { offset, message: STARS };
}

/** The parser's message says where by itself, in several lines that quote the file. */
function describeError({ code, message }: YAMLParseError): string {
  const [first = ''] = message.split('\n');
  const unclosed = /^Flow (map|sequence)/.exec(first)?.[1];
  if (unclosed) return `a ${unclosed === 'map' ? '{' : '['} before this is not closed`;
  if (first.startsWith('Missing closing')) return 'a quote before this is not closed';
  return MESSAGES[code] ?? first.replace(/ at line \d+, column \d+:?$/, '');
}

/** Where a `*name` stands that nothing is called by; to YAML it is no text. */
function findUnknownAlias(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      found = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}
