import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** How a server's process is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Its environment, besides the SDK's safe few. */
  readonly env: Readonly<Record<string, string>>;
}

/** The path of a program, as the system would find it; null if there is none. */
export async function findProgram(
  command: string,
  { path, cwd = '.' }: { readonly path: string; readonly cwd?: string | undefined },
): Promise<string | null> {
  const places = command.includes('/')
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((folder) => resolve(cwd, join(folder || '.', command)));
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return null;
}
