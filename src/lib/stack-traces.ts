import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Makes stack traces name the sources of the bundle in this folder, a `file:` address that ends with a slash. A map is
 * read when somebody looks at the first stack that comes through its file: `--enable-source-maps` reads all of them at
 * the start, which takes 200 ms and 50 MB.
 */
export function mapStackTraces(folder: string): void {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (file: string): SourceMap | null => {
    const known = maps.get(file);
    if (known !== undefined) return known;
    const map = readMap(file);
    maps.set(file, map);
    return map;
  };
  const named = (frame: NodeJS.CallSite): string => {
    const [text, file, line, column] = [
      String(frame),
      frame.getFileName(),
      frame.getLineNumber(),
      frame.getColumnNumber(),
    ];
    if (!file?.startsWith(folder) || line === null || column === null) return text;
    const origin = mapOf(file)?.findOrigin(line, column);
    if (origin === undefined || !('fileName' in origin)) return text;
    const source = fileURLToPath(new URL(origin.fileName, file));
    return text.replace(`${file}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`);
  };
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${named(frame)}`)].join('\n');
}

/** The name and the message; an error may be made so that not even that can be told. */
function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

/** Null where the map isn't there or can't be read: the stack then names the bundle. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}
