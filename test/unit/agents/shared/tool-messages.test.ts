import { describe, expect, it } from 'vitest';
import { readOwner } from '../../../../src/agents/shared/result-owner.ts';
import { toToolMessage } from '../../../../src/agents/shared/tool-messages.ts';
import type { Content, Outcome } from '../../../../src/gate/types.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { describeResult } from '../../../../src/presentation/outcome-text.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

function succeeded(texts: readonly string[], structured: JsonObject | null) {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  return { status: 'succeeded', content, structured } as const satisfies Outcome;
}

function told(texts: readonly string[], structured: JsonObject | null): string {
  return toToolMessage({ ...callRecord(), state: 'succeeded', outcome: succeeded(texts, structured) }).text;
}

describe('the result of a tool, to the model', () => {
  it.each<[string, readonly string[], JsonObject]>([
    ['an object as JSON', ['{"id": 1,\n "name": "x"}'], { id: 1, name: 'x' }],
    ['a wrapped text as it is', ['It is sunny.'], { result: 'It is sunny.' }],
    ['a wrapped text as JSON', ['"It is sunny."'], { result: 'It is sunny.' }],
    ['a wrapped number', ['42'], { result: 42 }],
    ['a wrapped list as JSON', ['["a","b"]'], { result: ['a', 'b'] }],
    ['each element of a wrapped list', ['a', '{"id": 2}'], { result: ['a', { id: 2 }] }],
    ['the text as the only field, of another name', ['Written.'], { content: 'Written.' }],
    ['an object, besides another text', ['Two of them.', '{"count":2}'], { count: 2 }],
  ])('says once what both say: %s', (_what, texts, structured) => {
    expect(told(texts, structured)).toBe(texts.join('\n'));
  });

  it.each<[string, readonly string[], JsonObject]>([
    ['another text', ['It is sunny.'], { result: 'It rains.' }],
    ['a part of a list', ['a'], { result: ['a', 'b'] }],
    ['a list in another order', ['b', 'a'], { result: ['a', 'b'] }],
    ['one of several fields', ['x'], { result: 'x', warnings: ['old'] }],
    ['JSON of the only field, of another name', ['42'], { answer: 42 }],
  ])('says both where the text is %s', (_what, texts, structured) => {
    expect(told(texts, structured)).toBe([...texts, JSON.stringify(structured)].join('\n'));
  });

  it('says what is structured where there is no text', () => {
    expect(told([], { result: [] })).toBe('{"result":[]}');
  });

  it('is one line to people, whichever of the two says it', () => {
    expect(describeResult(succeeded(['It is sunny.'], { result: 'It is sunny.' }))).toBe('It is sunny.');
    expect(describeResult(succeeded(['{"count":2}'], { count: 2 }))).toBe('count 2');
    expect(describeResult(succeeded([''], { content: '' }))).toBeNull();
  });
});

const failed = { status: 'failed', message: 'No such mail.', content: [] } as const satisfies Outcome;

describe('a result', () => {
  const kept = { name: '0123456789ab', size: 50_000 };
  const rows: readonly [string, Outcome, boolean][] = [
    [
      'is its requester’s if it came over their own account',
      { ...succeeded(['mail'], null), ownAccount: true },
      true,
    ],
    ['is its requester’s if it is an error of their own account', { ...failed, ownAccount: true }, true],
    [
      'is its requester’s if it is too long for the conversation',
      withPiece({ type: 'text', text: 'mail', kept }),
      true,
    ],
    ['is for all if only a file is kept of it, which the thread has anyway', withPiece(picture(kept)), false],
    ['is for all if it came over an account that everybody shares', succeeded(['mail'], null), false],
  ];
  it.each(rows)('%s', (_what, outcome, isOwn) => {
    const call = { ...callRecord(), state: outcome.status, outcome };
    expect(readOwner(toToolMessage(call))).toEqual(isOwn ? call.requester : null);
  });
});

function withPiece(piece: Content): Outcome {
  return { status: 'succeeded', content: [piece], structured: null };
}

function picture(kept: { readonly name: string; readonly size: number }): Content {
  return { type: 'image', data: '', mimeType: 'image/png', kept };
}

it('tells the model what to do about a call that a limit refused, in words that its record for people has not', () => {
  const message = 'Today’s limit of 3 calls is reached. This was not sent.';
  const outcome: Outcome = { status: 'failed', message, content: [] };
  const refused = { ...callRecord(), state: 'failed' as const, decision: null, intentAt: null, outcome };
  expect(toToolMessage(refused).text).toBe(`Failed: ${message}\nTell the person so.`);
  expect(toToolMessage({ ...refused, intentAt: 1 }).text).not.toContain('Tell the person');
});

it('says to the model who stopped a call, whose job was then cancelled', () => {
  const stoppedBy = { id: 'slack:T1:U1', name: 'Ana' };
  const outcome: Outcome = { status: 'failed', message: 'The job was cancelled.', content: [], stoppedBy };
  const told = toToolMessage({ ...callRecord(), state: 'failed', intentAt: 1, outcome });
  expect(told.text).toBe('Stopped by Ana: The job was cancelled.');
});
