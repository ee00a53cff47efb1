import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type AnchoredHead, type AuditProblem, anchoredHeadSchema } from '../../gate/index.ts';
import { ConfigError } from '../../lib/errors.ts';
import { LINE_NAMES_NO_SEAL, noFile } from '../texts/commands.ts';

/** The heads of these files, one a line; `tell`: the lines that name none. */
export async function* headsIn(
  files: readonly string[],
  tell: (problem: AuditProblem) => void,
): AsyncGenerator<AnchoredHead> {
  for (const file of files) {
    if (!existsSync(file)) throw new ConfigError(noFile(file));
    let line = 0;
    for await (const text of createInterface({ input: createReadStream(file) })) {
      line += 1;
      const head = headIn(text);
      if (head) yield head;
      else tell({ threadId: file, seq: line, problem: LINE_NAMES_NO_SEAL });
    }
  }
}

function headIn(line: string): AnchoredHead | null {
  try {
    return anchoredHeadSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
