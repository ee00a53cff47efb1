import { createHash } from 'node:crypto';
import { diffArrays } from 'diff';
import { z } from 'zod';
import type { AuditEntry, CallRecord } from '../gate/types.ts';
import { sha256Hex } from '../lib/canonical-json.ts';
import { createTimeSlices } from '../lib/time-slices.ts';
import { checkLength } from './collect.ts';
import { normalizePage } from './markdown.ts';
import { PAGE_FORMAT } from './texts.ts';

/** Characters of a line's mark: 36 bits of its digest, which only say where a page differs. The audit has the digest of all. */
const MARK_LENGTH = 6;
/** How many lines may have been added and removed for each to be found: that takes time by the square of them. */
const MOST_EDITS = 1_000;

/** What a page is verified by, at its end: what it's about, and a mark of each line. */
const sealSchema = z.object({
  countersign_notebook: z.int(),
  thread: z.string(),
  /** The last entry of the audit that the page has; null where there is none. */
  until: z.object({ seq: z.int(), hash: z.string() }).nullable(),
  /** The calls as they are numbered. */
  calls: z.array(
    z.object({
      call: z.string(),
      server: z.string(),
      tool: z.string(),
      definition: z.string(),
      /** The id of the account at the server, where there is one. */
      account: z.string().optional(),
      /** Others than its requester read the page, so that it only says that the call was made. */
      withheld: z.literal(true).optional(),
    }),
  ),
  /** A mark for each line above the block. */
  lines: z.string(),
});
export type PageSeal = z.infer<typeof sealSchema>;

/**
 * The whole page: these texts, and the block that it is verified by. Gives way to other work between the parts.
 * @throws AppError `notebook_too_long`
 */
export async function sealPage(
  parts: Iterable<readonly string[]>,
  {
    threadId,
    entries,
    calls,
    isWithheld,
  }: {
    readonly threadId: string;
    /** Those that the page has. */
    readonly entries: readonly AuditEntry[];
    readonly calls: readonly CallRecord[];
    readonly isWithheld: (call: CallRecord) => boolean;
  },
): Promise<string> {
  const giveWay = createTimeSlices();
  const all: string[] = [];
  const marks: string[] = [];
  let size = 0;
  for (const part of parts) {
    await giveWay();
    // A text may hold several lines.
    for (const line of part.flatMap((text) => text.split('\n'))) {
      all.push(line);
      marks.push(markLine(line));
      size += line.length + 1;
    }
    checkLength(size);
  }
  const last = entries.at(-1);
  const members = {
    countersign_notebook: PAGE_FORMAT,
    thread: threadId,
    until: last ? { seq: last.seq, hash: last.hash } : null,
    calls: calls.map((call) => ({
      call: call.callId,
      server: call.tool.server,
      tool: call.tool.name,
      definition: call.tool.definitionHash,
      ...(isWithheld(call)
        ? { withheld: true as const }
        : call.tool.account && { account: call.tool.account.id }),
    })),
    lines: marks.join(''),
  } satisfies PageSeal;
  const written = Object.entries(members).map(([name, value]) =>
    name === 'calls' && members.calls.length > 0
      ? `"calls": [\n${members.calls.map((call) => JSON.stringify(call)).join(',\n')}\n]`
      : `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return normalizePage([...all, '```json', '{', written.join(',\n'), '}', '```'].join('\n'));
}

/** What a block says that a page is verified by; null for any other text. */
export function parseSeal(json: string): PageSeal | null {
  try {
    return sealSchema.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/** The digest of a page, which the audit notes. */
export function pageDigest(page: string): string {
  return sha256Hex(normalizePage(page));
}

/** A part of a page that isn't as it was written. */
interface ChangedLines {
  /** The first of the lines, from 1. */
  readonly line: number;
  /** How many lines there are, and how many there were. */
  readonly now: number;
  readonly before: number;
}

/**
 * Where lines differ from the marks of the lines that were written. Where more than {@link MOST_EDITS} were added and removed,
 * all from the first that differs to the last is one part.
 */
export function findChangedLines(lines: readonly string[], marks: string): readonly ChangedLines[] {
  const written = marks.match(new RegExp(`.{1,${MARK_LENGTH}}`, 'gs')) ?? [];
  const read = lines.map(markLine);
  const changes = diffArrays(written, read, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return [findChangedPart(written, read)];
  const found: ChangedLines[] = [];
  let line = 1;
  let open: { line: number; now: number; before: number } | null = null;
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      if (open) found.push(open);
      open = null;
      line += count;
      continue;
    }
    open ??= { line, now: 0, before: 0 };
    if (removed) open.before += count;
    else {
      open.now += count;
      line += count;
    }
  }
  return open ? [...found, open] : found;
}

function findChangedPart(written: readonly string[], read: readonly string[]): ChangedLines {
  const shorter = Math.min(written.length, read.length);
  let same = 0;
  while (same < shorter && written[same] === read[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && written.at(-1 - sameAtEnd) === read.at(-1 - sameAtEnd)) sameAtEnd += 1;
  const differing = same + sameAtEnd;
  return { line: same + 1, now: read.length - differing, before: written.length - differing };
}

function markLine(line: string): string {
  return createHash('sha256').update(line, 'utf8').digest('base64url').slice(0, MARK_LENGTH);
}
