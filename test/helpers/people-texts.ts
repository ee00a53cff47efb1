import type { SourceFile } from './sources.ts';

/** A string with words in it, outside of the files that hold a module's texts. */
interface StrayText {
  readonly path: string;
  readonly text: string;
}

/** A word, a blank, and another word or a value, as every sentence and most labels have. */
const WORDS = /\p{L}{2,}[,:;.!?…”’)]* +[(“‘]?(?:\p{L}|\{\})|\{\}[,:;.!?…”’)]* +[(“‘]?\p{L}{2,}/u;
/** Calls whose strings nobody reads in a chat: log lines, programming errors, patterns, descriptions of schemas. */
const UNREAD = /(?:\.(?:debug|info|warn|error|fatal|describe|split|matchAll)|\b(?:Error|RegExp|Function))$/;
/** Tags of markup, which nobody reads. */
const TAG = /<[!/]?[a-z][^<>]*>/g;
/** Names of classes, and of what a link is, in the markup of a page, which nobody reads. */
const CLASS_NAMES = /\b(?:className|rel)=(?:"[^"]*"|\{`[^`]*`\}|\{[^}]*\})/g;
/** In markup: what stands between tags, also if it is one word, and attributes that people read or hear. */
const BETWEEN_TAGS =
  /(?:(?<=(?<!=)>)([^<>{}()=;]*\p{L}{2,}[^<>{}()=;]*)(?=[<{])|(?<=\})([^<>{}()=;]*\p{L}{2,}[^<>{}()=;]*)(?=<\/))/gu;
const SPOKEN = /\b(?:aria-label|label|title|placeholder|alt)="([^"]+)"/g;
const TEXTS_FILE = /\/texts(?:\/[\w-]+)?\.ts$/;

/** The strings of these files that look like texts for people and aren't in a `texts.ts` or a folder `texts`. */
export function strayTexts(files: readonly SourceFile[]): StrayText[] {
  return files
    .filter(({ path }) => !TEXTS_FILE.test(path))
    .flatMap(({ path, text, code }) =>
      [...textsIn(text), ...(path.endsWith('.tsx') ? textsInMarkup(code) : [])].map((found) => ({
        path,
        text: found,
      })),
    );
}

function textsIn(code: string): string[] {
  return stringsIn(code.replace(CLASS_NAMES, ''))
    .filter(
      ({ text, within }) => WORDS.test(text.replace(TAG, '\n')) && !within.some((call) => UNREAD.test(call)),
    )
    .map(({ text }) => text);
}

function textsInMarkup(code: string): string[] {
  return [BETWEEN_TAGS, SPOKEN].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, text, last = '']) => (text ?? last).trim()),
  );
}

interface FoundString {
  /** The text; a value within it is a blank pair of braces. */
  readonly text: string;
  /** The calls that it is an argument of, outermost first, each by what stands before its parenthesis. */
  readonly within: readonly string[];
}

type Open = { readonly kind: 'call'; readonly callee: string } | { readonly kind: 'brace' | 'template' };

/** The longest string or comment, in characters; looking further would be slow. */
const LONGEST = 4_000;
const COMMENT = /^\/(?:\/[^\n]*|\*[\s\S]*?\*\/)/;
const QUOTED = /^(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/;
const PATTERN = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/;
/** What stands before a pattern, and never before a division. */
const BEFORE_PATTERN = /(?:[(,=:[!&|?{};>]|\breturn|^)\s*$/;

/**
 * The strings and templates of a file, read by their quotes: TypeScript 7 has no stable parser to call. A template
 * counts once, with `{}` for each value; strings inside of its values count by themselves.
 */
function stringsIn(code: string): FoundString[] {
  const found: FoundString[] = [];
  const open: Open[] = [];
  const templates: string[] = [];
  const within = () => open.flatMap((it) => (it.kind === 'call' ? [it.callee] : []));
  let at = 0;

  const readTemplate = (start: string): void => {
    const [piece = ''] = /^(?:\\[\s\S]|(?!\$\{)[^`\\])*/.exec(code.slice(at)) ?? [];
    at += piece.length;
    if (code.startsWith('${', at)) {
      templates.push(`${start}${piece}{}`);
      open.push({ kind: 'template' });
      at += 2;
      return;
    }
    found.push({ text: start + piece, within: within() });
    at += 1;
  };

  while (at < code.length) {
    const rest = code.slice(at, at + LONGEST);
    const before = code.slice(Math.max(0, at - 200), at);
    const [quoted] = QUOTED.exec(rest) ?? [];
    if (quoted !== undefined) found.push({ text: quoted.slice(1, -1), within: within() });
    const [pattern] = BEFORE_PATTERN.test(before) ? (PATTERN.exec(rest) ?? []) : [];
    const passed = quoted ?? COMMENT.exec(rest)?.[0] ?? pattern;
    if (passed !== undefined) {
      at += passed.length;
      continue;
    }
    const sign = code[at] ?? '';
    at += 1;
    if (sign === '`') readTemplate('');
    if (sign === '(') open.push({ kind: 'call', callee: /[\w$.?]*$/.exec(before)?.[0] ?? '' });
    if (sign === '{') open.push({ kind: 'brace' });
    if (sign === ')') open.pop();
    if (sign === '}' && open.pop()?.kind === 'template') readTemplate(templates.pop() ?? '');
  }
  return found;
}
