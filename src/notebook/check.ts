import type { AuditEntry } from '../gate/types.ts';
import { callDigest } from '../gate/types.ts';
import { sha256Hex } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { createTimeSlices } from '../lib/time-slices.ts';
import { readHidden } from '../presentation/text/visible.ts';
import { callLines } from './call-section.ts';
import { hashBytes } from './collect.ts';
import { ENTRY_LINE, entryLine } from './entry-line.ts';
import { normalizePage, type PageBlock, type PageLine, readPage } from './markdown.ts';
import { EXPORTED } from './page.ts';
import { findChangedLines, type PageSeal, pageDigest, parseSeal } from './seal.ts';
import { CALL, PAGE_FORMAT, PROBLEM } from './texts.ts';

/** Something on a page isn't as the audit has it. */
interface PageProblem {
  /** From 1; null if it's about the whole page. */
  readonly line: number | null;
  /** A sentence. */
  readonly problem: string;
}

/** Reads what a page says of itself; null unless it is a page of a notebook. */
export function readSeal(page: string): PageSeal | null {
  return findSeal(readPage(normalizePage(page)))?.seal ?? null;
}

/**
 * Compares a page with the conversation's chain of the audit: each entry, the arguments, and the words of decisions with what
 * was noted as it happened, and every other line with what was noted as the page was exported. Gives way to other work.
 *
 * @param entries the chain, in order; verified by whoever asks.
 * @param isExported whether an export must be on record; false for a page that is about to be exported.
 */
export async function checkPage(
  page: string,
  entries: readonly AuditEntry[],
  { isExported = true }: { readonly isExported?: boolean } = {},
): Promise<readonly PageProblem[]> {
  const text = normalizePage(page);
  const parts = readPage(text);
  const found = findSeal(parts);
  if (found === null) return [{ line: null, problem: PROBLEM.noPage }];
  const { seal, line } = found;
  if (seal.countersign_notebook !== PAGE_FORMAT)
    return [{ line, problem: PROBLEM.otherFormat(seal.countersign_notebook) }];
  const problems = [
    ...checkEnd(seal, line, entries),
    ...(await new PageReader(seal, entries).read(parts.filter((part) => part.line < line))),
  ];
  if (!isExported) return problems;
  const isNoted = entries.some(({ what, details }) => what === EXPORTED && details.page === pageDigest(text));
  if (isNoted) return problems;
  const lines = text.split('\n').slice(0, line - 1);
  const changed = findChangedLines(lines, seal.lines).flatMap((part) => changeProblems(part));
  const named = new Set(problems.map((one) => one.line));
  const all = [...problems, ...changed.filter((one) => !named.has(one.line))];
  return all.length > 0 ? sorted(all) : [{ line: null, problem: PROBLEM.notExported }];
}

/** What is wrong with the audit itself, as a sentence. */
export function describeChainProblem(seq: number | null, problem: string): string {
  return PROBLEM.audit(seq, problem);
}

/** A file that a page names. */
interface PageFile extends Pick<PageLine, 'line'> {
  readonly name: string;
  /** SHA-256 of its content. */
  readonly hash: string;
}

const FILE_LINE = /^- File: \[([\w-][\w.-]*)\]\(\1\), .* SHA-256 `([0-9a-f]{64})`$/;

/** The files that a page names. */
export function listPageFiles(page: string): readonly PageFile[] {
  return readPage(normalizePage(page)).flatMap((part) => {
    const [, name, hash] = ('language' in part ? null : FILE_LINE.exec(part.text)) ?? [];
    return name === undefined || hash === undefined ? [] : [{ line: part.line, name, hash }];
  });
}

/** What is wrong with a file; null where its content is what its page says. */
export function differsFrom({ line, name, hash }: PageFile, content: Buffer): PageProblem | null {
  return hashBytes(content) === hash ? null : { line, problem: PROBLEM.fileDiffers(name) };
}

function sorted(problems: readonly PageProblem[]): readonly PageProblem[] {
  return problems.toSorted(
    (a, b) => (a.line ?? Number.POSITIVE_INFINITY) - (b.line ?? Number.POSITIVE_INFINITY),
  );
}

/** How many changed lines in a row are told one by one. */
const MOST_TOLD = 200;

function changeProblems({ line, now, before }: ReturnType<typeof findChangedLines>[number]) {
  if (now > MOST_TOLD) return [{ line, problem: PROBLEM.manyChanged(now, before) }];
  const each = Array.from({ length: now }, (_, index) => ({
    line: line + index,
    problem: index < before ? PROBLEM.changed : PROBLEM.added,
  }));
  const gone = before - now;
  return gone > 0 ? [...each, { line: line + now, problem: PROBLEM.removed(gone) }] : each;
}

/** The last block that a page can be verified by. */
function findSeal(parts: readonly (PageLine | PageBlock)[]) {
  const last = parts.findLast((part) => 'language' in part && part.language === 'json');
  const seal = last ? parseSeal(last.text) : null;
  return last && seal ? { seal, line: last.line } : null;
}

function checkEnd({ until }: PageSeal, line: number, entries: readonly AuditEntry[]): PageProblem[] {
  if (until === null) return [];
  if (entries.length === 0) return [{ line: null, problem: PROBLEM.noChain }];
  const entry = entries.find(({ seq }) => seq === until.seq);
  return entry?.hash === until.hash ? [] : [{ line, problem: PROBLEM.until(until.seq) }];
}

/** A call as the page has it so far. */
interface ReadCall {
  readonly number: number;
  /** The line of its heading. */
  readonly line: number;
  readonly lines: PageLine[];
  readonly blocks: Map<string, PageBlock>;
}

/** Reads a page from the top, and compares it with the audit. */
class PageReader {
  readonly #seal: PageSeal;
  readonly #entries: ReadonlyMap<number, AuditEntry>;
  /** The entries with a digest, by their calls. */
  readonly #digested: ReadonlyMap<string | null, readonly AuditEntry[]>;
  readonly #problems: PageProblem[] = [];
  readonly #seen = new Set<number>();
  readonly #calls = new Map<number, ReadCall>();
  #call: ReadCall | null = null;
  #label = '';
  #entry: AuditEntry | null = null;

  constructor(seal: PageSeal, entries: readonly AuditEntry[]) {
    this.#seal = seal;
    const last = seal.until?.seq ?? 0;
    const withheld = new Set(seal.calls.flatMap(({ call, withheld }) => (withheld ? call : [])));
    const own = entries.filter(
      ({ seq, what, callId }) => seq <= last && what !== EXPORTED && !withheld.has(callId ?? ''),
    );
    this.#entries = new Map(own.map((entry) => [entry.seq, entry]));
    const digested = own.filter(({ digest }) => digest !== null);
    this.#digested = Map.groupBy(digested, ({ callId }) => callId);
  }

  async read(parts: readonly (PageLine | PageBlock)[]): Promise<readonly PageProblem[]> {
    const giveWay = createTimeSlices();
    for (const part of parts) {
      await giveWay();
      if ('language' in part) this.#readBlock(part);
      else this.#readLine(part);
    }
    for (const [index, about] of this.#seal.calls.entries()) {
      await giveWay();
      this.#checkCall(index + 1, about);
    }
    for (const [seq, entry] of this.#entries)
      if (!this.#seen.has(seq)) this.#tell(null, PROBLEM.missing(entryLine(entry)));
    return this.#problems;
  }

  #tell(line: number | null, problem: string): void {
    this.#problems.push({ line, problem });
  }

  #readLine(part: PageLine): void {
    const { line, text } = part;
    if (/^#{1,3} /.test(text)) {
      const number = Number(CALL_HEADING.exec(text)?.[1] ?? 0);
      this.#call = number === 0 ? null : { number, line, lines: [], blocks: new Map() };
      if (this.#call && !this.#calls.has(number)) this.#calls.set(number, this.#call);
      this.#entry = null;
      this.#label = '';
    }
    this.#call?.lines.push(part);
    if (text.startsWith('**')) this.#label = text;
    const seq = ENTRY_LINE.exec(text)?.[1];
    if (seq !== undefined) this.#readEntry(part, Number(seq));
  }

  #readEntry({ line, text }: PageLine, seq: number): void {
    const entry = this.#entries.get(seq) ?? null;
    this.#entry = entry;
    if (entry === null) {
      this.#tell(line, PROBLEM.noEntry(seq));
      return;
    }
    if (this.#seen.has(seq)) this.#tell(line, PROBLEM.twice(seq));
    this.#seen.add(seq);
    const expected = entryLine(entry);
    const called = this.#call === null ? null : this.#seal.calls[this.#call.number - 1]?.call;
    if (text !== expected) this.#tell(line, PROBLEM.differs(expected));
    else if (this.#call !== null && called !== entry.callId) this.#tell(line, PROBLEM.otherCall(seq));
  }

  #readBlock(block: PageBlock): void {
    if (this.#call && !this.#call.blocks.has(this.#label)) this.#call.blocks.set(this.#label, block);
    if (this.#label !== CALL.decisions || this.#entry === null) return;
    const { feedbackDigest, instructionDigest } = this.#entry.details;
    // As it stands, too: earlier versions wrote nothing out.
    const digests = [readHidden(block.text), block.text].map(sha256Hex);
    if (!digests.some((digest) => digest === feedbackDigest || digest === instructionDigest))
      this.#tell(block.line + 1, PROBLEM.words(this.#entry.seq));
  }

  #checkCall(number: number, about: PageSeal['calls'][number]): void {
    const call = this.#calls.get(number);
    if (!call) {
      this.#tell(null, PROBLEM.noCall(number));
      return;
    }
    if (about.withheld) return;
    const own = this.#digested.get(about.call) ?? [];
    const digest = own.at(-1)?.digest ?? '';
    const expected = callLines({ ...about, digest });
    for (const wanted of [expected.tool, expected.definition, expected.digest]) {
      const label = wanted.slice(0, wanted.indexOf(':'));
      const line = call.lines.find(({ text }) => text.startsWith(label));
      if (line?.text !== wanted) this.#tell(line?.line ?? call.line, PROBLEM.callDiffers(wanted));
    }
    const block = call.blocks.get(CALL.arguments);
    if (!block) this.#tell(call.line, PROBLEM.noArguments(number));
    else if (digestBlock(about, block) !== digest) this.#tell(block.line + 1, PROBLEM.arguments(number));
    const proposed = call.blocks.get(CALL.proposedArguments);
    // The tool may have had another definition by then.
    const { definition = about.definition } = own[0]?.details ?? {};
    if (proposed && digestBlock({ ...about, definition: String(definition) }, proposed) !== own[0]?.digest)
      this.#tell(proposed.line + 1, PROBLEM.proposedArguments(number));
  }
}

const CALL_HEADING = /^### Call (\d{1,9}): /;

/** The digest that a call with the arguments of a block has; null if they aren't arguments. */
function digestBlock(
  { server, tool, definition, account }: PageSeal['calls'][number],
  block: PageBlock | undefined,
): string | null {
  const parsed = block && parseObject(block.text);
  return parsed ? callDigest({ server, tool, definitionHash: definition, account, arguments: parsed }) : null;
}

function parseObject(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
