import {
  type Actor,
  type AuditEntry,
  type CallRecord,
  type Content,
  type Outcome,
  repeatsStructured,
  resultOwner,
} from '../gate/types.ts';
import { canonicalJson, sha256Hex } from '../lib/canonical-json.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { clip, head } from '../presentation/text/clip.ts';
import { visibleJson } from '../presentation/text/visible.ts';
import type { CallFile, Prompt } from './collect.ts';
import { entryLine, instant, personWords } from './entry-line.ts';
import { codeSpan, fenced, quoted } from './markdown.ts';
import { CALL } from './texts.ts';

/** How much of a result's text is on the page, in characters. */
const RESULT_LENGTH = 4_000;
/** Longest value in the list of what an edit changed, in characters; the blocks beside it have it whole. */
const CHANGE_LENGTH = 200;

interface CallParts {
  /** Its number on the page, from 1. */
  readonly number: number;
  /** The audit's entries about it. */
  readonly about: readonly AuditEntry[];
  readonly files: readonly CallFile[];
  readonly prompts: readonly Prompt[];
  /** What the agent said beside it, as far as the reader may read that. */
  readonly said: string | undefined;
  readonly reader: Actor | null;
}

/** The lines by which a call is found on the page, and compared with the audit. */
export function callLines({
  server,
  tool,
  definition,
  digest,
}: Readonly<Record<'server' | 'tool' | 'definition' | 'digest', string>>) {
  return {
    tool: CALL.tool(codeSpan(`${server}.${tool}`)),
    definition: CALL.definition(codeSpan(definition)),
    digest: CALL.digest(codeSpan(digest)),
  };
}

/**
 * Whether others than its requester may see only that a call was made: a read that nobody was asked about, of what is somebody's
 * own, or that nobody knows of yet whose it is. In Slack, too, the list of what was read says no more of it.
 */
export function isWithheld(call: CallRecord, reader: Actor | null): boolean {
  const { requestId, grant, requester, outcome } = call;
  if (requestId !== null || grant !== undefined || requester.id === reader?.id) return false;
  return outcome === null || outcome.status === 'in_doubt' || resultOwner(call) !== null;
}

/** A call: what was asked for, who decided what and when, and what came of it. */
export function callSection(
  call: CallRecord,
  { number, about, files, prompts, said, reader }: CallParts,
): readonly string[] {
  const { tool, verdict, program, state } = call;
  const heading = ['', CALL.heading(number, codeSpan(tool.title)), ''];
  if (isWithheld(call, reader))
    return [...heading, CALL.own(personWords(call.requester)), ...files.flatMap(fileLines)];
  const isEdited = (call.edits ?? []).length > 0;
  const { server, name, definitionHash: definition } = tool;
  const lines = callLines({ server, tool: name, definition, digest: call.digest });
  return [
    ...heading,
    ...[lines.tool, CALL.id(codeSpan(call.callId)), lines.definition, lines.digest],
    CALL.requester(personWords(call.requester)),
    ...(program ? [CALL.program(codeSpan(program.name), codeSpan(program.session))] : []),
    CALL.rule(codeSpan(verdict.rule), codeSpan(verdict.action)),
    CALL.state(codeSpan(state)),
    ...timeLines(call),
    ...(said === undefined ? [] : ['', CALL.said, '', ...quoted(said)]),
    ...promptLines(prompts),
    ...['', CALL.arguments, '', ...jsonBlock(call.arguments)],
    ...(isEdited ? ['', CALL.proposedArguments, '', ...jsonBlock(call.proposedArguments)] : []),
    ...(isEdited ? changeLines(call.proposedArguments, call.arguments) : []),
    ...['', CALL.decisions, ''],
    ...about.flatMap((entry) => [entryLine(entry), ...wordsLines(entry, call)]),
    ...resultLines(call, reader),
    ...files.flatMap(fileLines),
  ];
}

/** What people were asked, in the words that they saw. */
function promptLines(prompts: readonly Prompt[]): readonly string[] {
  const asked = prompts.filter((prompt) => prompt.asked.length > 0);
  const blocks = asked.flatMap(({ headline, asked: people, warnings }) => [
    '',
    ...fenced('text', [headline, ...people, ...warnings.map(CALL.warning)].join('\n')),
  ]);
  return blocks.length === 0 ? [] : ['', CALL.prompt, ...blocks];
}

function timeLines({ proposedAt, intentAt, endedAt, attempt }: CallRecord): readonly string[] {
  const took = intentAt === null || endedAt === null ? null : Math.max(0, endedAt - intentAt);
  return [
    CALL.proposed(instant(proposedAt)),
    ...(intentAt === null ? [] : [CALL.sent(instant(intentAt), attempt)]),
    ...(endedAt === null ? [] : [CALL.ended(instant(endedAt), took)]),
  ];
}

/** The value for people, in which what people don't see is escaped: parsed, it's the same. */
function jsonBlock(value: Json): readonly string[] {
  return fenced('json', visibleJson(JSON.stringify(value, null, 2)));
}

function changeLines(before: JsonObject, after: JsonObject): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const words = (value: Json | undefined) =>
    value === undefined ? CALL.none : codeSpan(clip(JSON.stringify(value), CHANGE_LENGTH));
  const same = (name: string) => canonicalJson(before[name] ?? null) === canonicalJson(after[name] ?? null);
  const changed = names
    .filter((name) => !same(name))
    .map((name) => CALL.change(codeSpan(name), words(before[name]), words(after[name])));
  return ['', CALL.changes, '', ...changed];
}

/** What somebody said with the decision of an entry: the audit has its digest, and the call's record the words. */
function wordsLines({ details }: AuditEntry, call: CallRecord): readonly string[] {
  const digests = [details.feedbackDigest, details.instructionDigest].filter((it) => typeof it === 'string');
  const given = [...(call.votes ?? []), ...(call.decision ? [call.decision] : [])].flatMap((vote) => {
    const wanted = typeof vote.instruction === 'string' ? vote.instruction : vote.instruction?.text;
    return [vote.feedback, wanted].flatMap((words) => (words ? [words.trim()] : []));
  });
  return digests.flatMap((digest) => {
    const words = given.find((it) => sha256Hex(it) === digest);
    return ['', ...(words === undefined ? [CALL.wordsGone] : quoted(words)), ''];
  });
}

function resultLines(call: CallRecord, reader: Actor | null): readonly string[] {
  const { outcome } = call;
  if (outcome === null) return [];
  const owner = resultOwner(call);
  if (owner !== null && owner.id !== reader?.id) return ['', CALL.result, '', CALL.own(personWords(owner))];
  const parts = outcomeLines(outcome);
  return parts.length === 0 ? [] : ['', CALL.result, ...parts];
}

function outcomeLines(outcome: Outcome): readonly string[] {
  const message = outcome.status === 'succeeded' ? [] : ['', ...quoted(outcome.message)];
  if (outcome.status === 'in_doubt') return message;
  const texts = outcome.content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
  const structured = outcome.status === 'succeeded' ? outcome.structured : null;
  const isSaid = structured === null || repeatsStructured(texts, structured);
  return [
    ...message,
    ...outcome.content.flatMap(pieceLines),
    ...(isSaid ? [] : cutBlock(visibleJson(JSON.stringify(structured, null, 2)))),
  ];
}

function pieceLines(piece: Content): readonly string[] {
  switch (piece.type) {
    case 'text':
      return cutBlock(piece.text, piece.kept?.size);
    case 'resource':
      return piece.text === undefined ? [] : cutBlock(piece.text);
    case 'resource_link':
      return ['', CALL.link(codeSpan(piece.title ?? piece.name), codeSpan(piece.uri))];
    case 'image':
    case 'audio':
      return [];
  }
}

/** A text of a result, cut with a mark where it's long. `size`: of the whole, where the text is its beginning. */
function cutBlock(text: string, size = text.length): readonly string[] {
  const shown = head(text, RESULT_LENGTH);
  return ['', ...quoted(shown), ...(shown.length < size ? ['', CALL.cut(shown.length, size)] : [])];
}

function fileLines({ name, content, hash }: CallFile): readonly string[] {
  if (content === 'gone') return ['', CALL.fileGone(codeSpan(name))];
  if (content === 'left_out') return ['', CALL.fileLeftOut(codeSpan(name))];
  const isImage = /\.(?:png|jpg|gif|webp)$/.test(name);
  return ['', CALL.file(name, content.length, hash), ...(isImage ? ['', CALL.image(name)] : [])];
}
