import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { ToolProblem } from '../../lib/text/tool-answers.ts';

export interface JsonFile<Content> {
  /** @throws ToolProblem when the file is there but cannot be read or understood. */
  read(): Promise<Content>;
  /** Applies changes one at a time; writes nothing when `change` throws. */
  change<T>(change: (content: Content) => { content: Content; result: T }): Promise<T>;
}

interface JsonFileOptions<Schema extends z.ZodType> {
  /** Created on the first write. */
  readonly file: string;
  readonly schema: Schema;
  /** The content while there's no file. */
  readonly empty: z.output<Schema>;
  /** Whose file it is, such as "the calendar". */
  readonly of: string;
}

/** What a server of this program keeps in one JSON file. */
export function createJsonFile<Schema extends z.ZodType>({
  file,
  schema,
  empty,
  of,
}: JsonFileOptions<Schema>): JsonFile<z.output<Schema>> {
  let last: Promise<unknown> = Promise.resolve();

  /** @throws ToolProblem for an error of the system, whose own message would reveal paths. */
  function refuseFile(error: unknown): never {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    throw code === null ? error : new ToolProblem(`${of}’s file could not be used (${code})`);
  }

  async function readContent(): Promise<z.output<Schema>> {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return empty;
      throw error;
    }
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      throw new ToolProblem(`${of}’s file is damaged and is left as it is`);
    }
  }

  return {
    read: () => readContent().catch(refuseFile),
    change(change) {
      const turn = last.then(async () => {
        const { content, result } = change(await readContent().catch(refuseFile));
        await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`).catch(refuseFile);
        return result;
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}

/** Writes a file atomically: a reader or a power cut sees the old file or the new one, never half of it. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
