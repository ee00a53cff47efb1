import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { approvalStatus } from '../../../../src/gate/approval/status.ts';
import type { CallRecord, Program } from '../../../../src/gate/call/record.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/lib/json.ts';
import type { ValueContext } from '../../../../src/presentation/values.ts';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import type { UseView } from '../../../../src/slack/cards/use-sections.ts';
import { isDirect } from '../../../../src/slack/people/approvers.ts';
import { slackIdentity } from '../../../../src/slack/people/identity.ts';
import { approverWords } from '../../../../src/slack/text/answered-mail.ts';

/** Tue 24 Nov 2026, 08:00 UTC. */
export const NOW = Date.UTC(2026, 10, 24, 8, 0);

export const resolve: ValueContext = {
  user: (id) => ({ U2: 'bob', U1: 'Ana' })[id] ?? null,
  channel: (id) => (id === 'C1' ? 'general' : null),
  zoneOf: () => null,
  timeZone: 'Europe/Berlin',
  findObject: () => null,
  asOf: NOW,
};

export const DIGEST = createHash('sha256').update('call').digest('hex');

/** A program that asks in somebody's name. */
export const BUILDER: Program = { id: 'key:builder', name: 'Builder', session: 's1' };

/** Where no limit is set. */
export const NO_USE: UseView = { own: [], near: null, until: NOW, timeZone: 'UTC' };

export const createEventSchema: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'What it is called' },
    start: { type: 'string', format: 'date-time' },
    duration_minutes: { type: 'integer', title: 'Length', minimum: 5 },
    attendees: { type: 'array', items: { type: 'string' } },
    visibility: {
      type: 'string',
      oneOf: [
        { const: 'pub', title: 'Public' },
        { const: 'prv', title: 'Private' },
      ],
    },
    remind: { type: 'boolean' },
    notes: { type: 'string' },
  },
  required: ['title', 'start'],
};

export const createEventArguments: JsonObject = {
  title: 'Standup',
  start: '2026-11-24T09:00:00+01:00',
  duration_minutes: 15,
  attendees: ['U2', 'carol@example.com'],
};

export function callRecord(changes: Partial<CallRecord> = {}): CallRecord {
  const args = changes.arguments ?? createEventArguments;
  return {
    callId: 'call-1',
    threadId: 'slack:T1:C1:1.0',
    runId: 'run-1',
    requestId: 'request-1',
    kind: 'tool',
    tool: {
      server: 'calendar',
      name: 'create_event',
      modelName: 'calendar__create_event',
      title: 'Create event',
      description: 'Creates an event.',
      inputSchema: createEventSchema,
      definitionHash: 'd'.repeat(64),
      destructive: false,
      trusted: true,
    },
    arguments: args,
    proposedArguments: args,
    digest: DIGEST,
    verdict: { action: 'ask', rule: 'writes', reason: null, policyVersion: 'v1' },
    state: 'pending',
    decision: null,
    requester: { id: 'slack:T1:U1', name: 'Ana' },
    proposedAt: NOW,
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
    ...changes,
  };
}

export function callView(changes: Partial<CallRecord> = {}, view: Partial<CallView> = {}): CallView {
  const call = callRecord(changes);
  const verb = approverWords(call).canApprove;
  return {
    callKey: 'k1',
    call,
    approval: approvalStatus(slackIdentity, call),
    approvers: call.state === 'pending' ? { who: 'Ana', isOnly: true, verb, progress: null } : null,
    expiresAt: Date.UTC(2026, 10, 27, 16, 0),
    resolve,
    withheld: null,
    isForOwner: isDirect(call.threadId),
    canSignIn: true,
    corrects: null,
    beside: null,
    newer: null,
    about: null,
    freeTime: null,
    calendars: [],
    step: null,
    unneeded: [],
    neededBy: [],
    ...view,
  };
}

export function withTool(
  schema: JsonObject,
  args: JsonObject,
  changes: Partial<CallRecord['tool']> = {},
): CallView {
  const { tool } = callRecord();
  return callView({
    tool: { ...tool, inputSchema: schema, ...changes },
    arguments: args,
    proposedArguments: args,
  });
}

export function approvedBy(
  name: string,
  type: 'approve' | 'edit' | 'reject' = 'approve',
  feedback: string | null = null,
) {
  return { type, actor: { id: `slack:T1:${name}`, name }, at: Date.UTC(2026, 10, 24, 8, 12), feedback };
}

/** Blocks as the lines that a person reads; code in backticks, struck text in tildes, buttons in brackets. */
export function flat(blocks: readonly object[]): string {
  return blocks.map((block) => blockText(json(block))).join('\n');
}

/** The buttons' labels in order. */
export function buttonsOf(blocks: readonly object[]): string[] {
  const elements = blocks
    .map(json)
    .flatMap((block) => (block.type === 'actions' ? list(block.elements) : []));
  return elements.filter(({ type }) => type === 'button').map(({ text }) => words(text));
}

/** The values of a button, by its action. */
export function buttonValue(blocks: readonly object[], actionId: string): Json | undefined {
  const elements = blocks
    .map(json)
    .flatMap((block) => (block.type === 'actions' ? list(block.elements) : []));
  return elements.find(({ action_id }) => action_id === actionId)?.value;
}

function blockText(block: JsonObject): string {
  switch (block.type) {
    case 'rich_text':
      return list(block.elements).map(richTextOf).join('\n');
    case 'actions':
      return list(block.elements).map(elementText).join(' ');
    case 'context':
      return list(block.elements).map(contextText).join(' ');
    case 'header':
      return `# ${words(block.text)}`;
    case 'input':
      return `${words(block.label)}${block.optional === true ? '' : ' *'}: ${inputText(object(block.element))}`;
    case 'divider':
      return '---';
    case 'table':
      return (Array.isArray(block.rows) ? block.rows : [])
        .map((row) => list(row).map(words).join(' | '))
        .join('\n');
    default:
      return words(block);
  }
}

function contextText(element: JsonObject): string {
  return words(element).replace(/<!date\^[^|]*\|([^>]*)>/, '$1');
}

function richTextOf(element: JsonObject): string {
  const inner = list(element.elements).map(partText).join('');
  return element.type === 'rich_text_preformatted' ? `┌\n${inner}\n└` : inner;
}

function partText(part: JsonObject): string {
  if (part.type === 'date') return String(part.fallback);
  const style = isJsonObject(part.style) ? part.style : {};
  const plain = words(part);
  const quoted = style.code === true ? `\`${plain}\`` : plain;
  return style.strike === true ? `~${quoted}~` : quoted;
}

function elementText(element: JsonObject): string {
  if (element.type === 'overflow')
    return `[⋯ ${list(element.options)
      .map(({ text }) => words(text))
      .join(', ')}]`;
  if (element.type === 'checkboxes') {
    const ticked = list(element.initial_options).map(({ value }) => value);
    return list(element.options)
      .map(({ text, value }) => `${ticked.includes(value) ? '☑' : '☐'} ${words(text)}`)
      .join(' ');
  }
  const style = element.style === undefined ? '' : ` (${String(element.style)})`;
  return `[${words(element.text)}${style}]`;
}

function inputText(element: JsonObject): string {
  const initial = Object.entries(element).find(([name]) => name.startsWith('initial_'))?.[1];
  const shown = isJsonObject(initial)
    ? words(initial.text)
    : Array.isArray(initial)
      ? list(initial)
          .map(({ text }) => words(text))
          .join(', ')
      : String(initial ?? '');
  return `<${String(element.type)}> ${shown}`.trim();
}

function words(value: Json | undefined): string {
  const text = isJsonObject(value) ? value.text : value;
  return isJsonObject(text) ? words(text) : String(text ?? '');
}

function list(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function json(block: object): JsonObject {
  return object(JSON.parse(JSON.stringify(block)));
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

// Shrinking texts of 4 kB takes minutes and tells nothing more.
fc.configureGlobal({ endOnFailure: true });

const nasty = fc.constantFrom(
  '<!channel>',
  '<@U2>',
  'pay\u202E001\u202C',
  'a\u200Bb',
  '\u{E0041}',
  'ש\u05DCום',
  '👩‍👩‍👧',
  'раypal.com',
  '2026-11-24T09:00:00',
  '2026-03-29T02:30:00+01:00',
  '2026-11-24',
  '14:30:00Z',
  'a@example.com',
  'https://example.com/x',
  'line\nline\r\nline',
  '```',
  ' padded ',
  '',
  'U2',
);

/** Strings as models and attackers write them, up to 4 kB. */
export const nastyString: fc.Arbitrary<string> = fc.oneof(
  nasty,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ minLength: 2500, maxLength: 4000, size: 'max' }),
  fc.array(nasty, { maxLength: 200 }).map((parts) => parts.join(' ')),
);

const nastyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: nastyString },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.array(nastyString, { maxLength: 20 }) },
  { weight: 1, arbitrary: fc.jsonValue().map(asJson) },
);

function asJson(value: unknown): Json {
  const read: Json = JSON.parse(JSON.stringify(value));
  return read;
}

const name = fc.oneof(
  fc.constantFrom('title', 'start', 'duration_minutes', 'body', '__proto__', 'constructor', 'time_zone'),
  fc.string({ unit: 'binary', minLength: 0, maxLength: 300 }),
);

const property: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    { type: 'string' },
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'time' },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'uri' },
    { type: 'integer' },
    { type: 'number', minimum: 0 },
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' } },
    { type: 'array', items: { type: 'string', enum: ['U2', '', 'x'] } },
    { type: 'string', enum: ['a', 'b', 'U2', ''] },
    { enum: [1, null, { a: 1 }] },
    { type: 'object' },
    { $ref: '#/$defs/missing' },
    { $ref: '#' },
    true,
  ),
  fc.record({ type: fc.constant('string'), title: nastyString, description: nastyString }),
  fc.array(nastyString, { minLength: 0, maxLength: 150 }).map((values) => ({ enum: values })),
);

function entriesOf(names: string[], values: Json[]): JsonObject {
  return Object.fromEntries(names.map((key, index): [string, Json] => [key, values[index] ?? null]));
}

/** A tool's schema and arguments for it: matching, missing, unknown and ill-typed ones alike. */
export const schemaAndArguments: fc.Arbitrary<{ schema: JsonObject; args: JsonObject }> = fc
  .uniqueArray(name, { maxLength: 30 })
  .chain((names) =>
    fc
      .record({
        properties: fc.array(property, { minLength: names.length, maxLength: names.length }),
        values: fc.array(nastyValue, { minLength: names.length, maxLength: names.length }),
        described: fc.array(fc.boolean(), { minLength: names.length, maxLength: names.length }),
        given: fc.array(fc.boolean(), { minLength: names.length, maxLength: names.length }),
        required: fc.subarray(names),
      })
      .map(({ properties, values, described, given, required }) => {
        const known = entriesOf(names, properties);
        const all = entriesOf(names, values);
        return {
          schema: {
            type: 'object',
            properties: Object.fromEntries(Object.entries(known).filter((_, index) => described[index])),
            required,
          },
          args: Object.fromEntries(Object.entries(all).filter((_, index) => given[index])),
        };
      }),
  );
