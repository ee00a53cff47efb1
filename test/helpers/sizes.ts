import type { SourceFile } from './sources.ts';

interface LongFunction {
  /** `path name`. */
  readonly id: string;
  readonly lines: number;
}

/** The functions that have more lines than this, from their header to their last brace. */
export function longFunctions(files: readonly SourceFile[], maxLines: number): readonly LongFunction[] {
  return files.flatMap((file) => functionsIn(file).filter(({ lines }) => lines > maxLines));
}

/** The folders that hold more files than this. */
export function crowdedFolders(files: readonly SourceFile[], maxFiles: number): readonly string[] {
  const byFolder = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  return [...byFolder].filter(([, inside]) => inside.length > maxFiles).map(([folder]) => folder);
}

/** The files that have more lines than this. */
export function longFiles(files: readonly SourceFile[], maxLines: number): readonly string[] {
  return files.filter(({ text }) => text.split('\n').length - 1 > maxLines).map(({ path }) => path);
}

/**
 * The functions of a file, read by the indentation that the formatter gives them: a block ends with the first line
 * that is not indented further than the one that opens it. TypeScript 7 has no stable parser to call.
 */
function functionsIn({ path, code }: SourceFile): readonly LongFunction[] {
  const lines = withoutStrings(code).split('\n');
  return lines.flatMap((line, open) => {
    if (!line.endsWith('{')) return [];
    const indent = indentation(line);
    const start = headerStart(lines, open);
    const header = lines
      .slice(start, open + 1)
      .join(' ')
      .trim();
    if (!isFunctionHeader(header)) return [];
    const length = lines.slice(open + 1).findIndex((it) => it.trim() !== '' && indentation(it) <= indent);
    return [{ id: `${path} ${nameIn(header)}`, lines: open - start + length + 2 }];
  });
}

/** The first line of a header whose parameters stand on lines of their own. */
function headerStart(lines: readonly string[], open: number): number {
  const indent = indentation(lines[open] ?? '');
  for (let at = open; at > 0; at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() !== '' && indentation(line) <= indent && !/^\s*[)}>\]]/.test(line)) return at;
  }
  return 0;
}

const METHOD =
  /^(?:(?:static|override|async|get|set|private|protected|public)\s+)*\*?\s*#?([\w$]+)\s*(?:<.*?>)?\(/;
const STATEMENT = /^(?:if|for|while|switch|catch|return|await|throw|yield)\b/;

function isFunctionHeader(header: string): boolean {
  if (/\bfunction\b/.test(header) || /=>\s*\(?\{$/.test(header)) return true;
  const isClosed = header.split('(').length === header.split(')').length;
  return isClosed && METHOD.test(header) && !STATEMENT.test(header);
}

function nameIn(header: string): string {
  const [, name] =
    /\bfunction\b\*?\s*(\w+)/.exec(header) ??
    /\b(?:const|let)\s+(\w+)/.exec(header) ??
    METHOD.exec(header) ??
    [];
  return name ?? /^(?:readonly\s+)?#?(\w+)/.exec(header)?.[1] ?? '?';
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}

/** Blanks strings, whose text may look like code; keeps the lines. */
function withoutStrings(code: string): string {
  return code.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, (quoted) =>
    quoted.replace(/[^\n]/g, ' '),
  );
}
