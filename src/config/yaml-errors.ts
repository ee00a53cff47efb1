import { type Document, type ErrorCode, isNode, isScalar, visit, type YAMLParseError } from 'yaml';
import { YAML_PROBLEMS } from './texts.ts';
import type { LinedDocument } from './yaml-lines.ts';

interface YamlSyntaxError {
  /** The offset of the error, in characters. */
  readonly offset: number;
  readonly message: string;
}

/** Common mistakes, by the parser's codes, with what to do. */
const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  TAB_AS_INDENT: YAML_PROBLEMS.tab,
  BAD_INDENT: YAML_PROBLEMS.indent,
  BLOCK_AS_IMPLICIT_KEY: YAML_PROBLEMS.colon,
  MULTILINE_IMPLICIT_KEY: YAML_PROBLEMS.unfinishedKey,
  MULTIPLE_DOCS: YAML_PROBLEMS.secondDocument,
  BAD_ALIAS: YAML_PROBLEMS.star,
  BAD_SCALAR_START: YAML_PROBLEMS.at,
};

/** The first syntax error of a YAML text, with what to do; null if there is none. */
export function findSyntaxError({ document, lineAt }: LinedDocument): YamlSyntaxError | null {
  const [problem] = document.errors;
  if (problem) {
    const [offset] = problem.pos;
    const first = problem.code === 'DUPLICATE_KEY' ? findFirstKey(document, offset) : null;
    const message =
      first === null ? describeError(problem) : YAML_PROBLEMS.duplicateKey(first.key, lineAt(first.offset));
    return { offset, message };
  }
  const offset = findUnknownAlias(document);
  return offset === null ? null : { offset, message: YAML_PROBLEMS.star };
}

/** The parser's own message has several lines, which say where and quote the file. */
function describeError({ code, message }: YAMLParseError): string {
  const [first = ''] = message.split('\n');
  const unclosed = /^Flow (map|sequence)/.exec(first)?.[1];
  if (unclosed) return YAML_PROBLEMS.unclosed(unclosed === 'map' ? '{' : '[');
  if (first.startsWith('Missing closing')) return YAML_PROBLEMS.unclosedQuote;
  return MESSAGES[code] ?? first.replace(/ at line \d+, column \d+:?$/, '');
}

/** The key that is in its map a second time at this offset, with where it is first; null where none is. */
function findFirstKey(
  document: Document,
  offset: number,
): { readonly key: string; readonly offset: number } | null {
  const at = (key: unknown) => (isNode(key) ? key.range?.[0] : undefined);
  let found: { readonly key: string; readonly offset: number } | null = null;
  visit(document, {
    Map(_key, { items }) {
      const again = items.find(({ key }) => at(key) === offset)?.key;
      if (!isScalar(again)) return undefined;
      const first = items.find(({ key }) => isScalar(key) && key.value === again.value)?.key;
      found = { key: String(again.value), offset: at(first) ?? offset };
      return visit.BREAK;
    },
  });
  return found;
}

/** The offset of a `*name` without an anchor; YAML reads it as an alias, not as text. */
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
