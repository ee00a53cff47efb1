import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a stack: a file of a bundle, its line and its column. */
const PLACE = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/g;

/**
 * Returns what names in a stack the places in the sources instead of those in the bundle, for stacks that somebody reads.
 * It isn't done to each: Node's streams look at the stacks of errors that nobody sees, with every request. A map
 * takes 20 MB, so it's only kept until the memory is needed.
 */
export function createStackReader(): (stack: string) => string {
  const maps = new Map<string, WeakRef<SourceMap>>();
  const findMap = (file: string): SourceMap | null => {
    const map = maps.get(file)?.deref() ?? readMap(file);
    if (map !== null) maps.set(file, new WeakRef(map));
    return map;
  };
  return (stack) =>
    stack.replace(PLACE, (place, file: string, line: string, column: string) => {
      const origin = findMap(file)?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !('fileName' in origin)) return place;
      const source = fileURLToPath(new URL(origin.fileName, file));
      return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
    });
}

/** Null where the map isn't there or can't be read: the stack then names the bundle. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}
