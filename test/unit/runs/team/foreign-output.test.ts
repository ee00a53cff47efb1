import { describe, expect, it } from 'vitest';
import { readForeignOutput, readForeignResult } from '../../../../src/runs/team/foreign-output.ts';
import { canGoOn } from '../../../../src/runs/team/tasks.ts';
import { ana } from '../../../helpers/people.ts';
import { callRecord, NOW } from '../../slack/cards/fixtures.ts';

function read(answer: object) {
  const output = readForeignOutput(answer);
  if (typeof output === 'string') throw new Error(output);
  return output;
}

it('a call of which a person says that it happened is a task that is done, though the agent never answered', () => {
  const call = callRecord({
    state: 'succeeded',
    outcome: {
      status: 'succeeded',
      content: [{ type: 'text', text: 'Ana says that it happened.' }],
      structured: null,
    },
    doubt: {
      attempt: 1,
      said: { word: 'happened', actor: ana, at: NOW },
    },
  });
  expect(readForeignResult(call)).toMatchObject({
    task_done: true,
    data: { answer: 'Ana says that it happened.' },
    error: null,
  });
});

describe('what an agent that is another program answers', () => {
  it.each([
    ['its answer as result', { task_done: true, result: 'It is 12.' }, { data: { answer: 'It is 12.' } }],
    [
      'a result that is no text',
      { task_done: true, result: { rows: [1] } },
      { data: { result: { rows: [1] } } },
    ],
    [
      'why not as result',
      { task_done: false, result: 'No access.' },
      { error: 'No access.', partial_data: { answer: 'No access.' } },
    ],
    [
      'a result beside data',
      { task_done: true, result: 'It is 12.', data: { answer: 'Twelve.', rows: [] } },
      { data: { answer: 'Twelve.', rows: [] } },
    ],
    ['nothing but that it did not', { task_done: false }, { error: expect.stringContaining('not why') }],
    [
      'no members but null',
      { task_done: true, data: null, result: null, metadata: null },
      { data: {}, sources: [] },
    ],
    ['metadata that is text', { task_done: true, metadata: 'none' }, { sources: [] }],
    ['sources that are no list', { task_done: true, metadata: { sources: 'a.pdf' } }, { sources: [] }],
    [
      'its sources among its data',
      { task_done: true, data: { answer: 'Yes.', sources: ['a.pdf', { source: 'b.pdf', page: 2 }] } },
      { data: { answer: 'Yes.' }, sources: [{ source: 'a.pdf' }, { source: 'b.pdf', place: 'p. 2' }] },
    ],
    [
      'pages in words, and members of other kinds',
      {
        task_done: true,
        metadata: {
          sources: [
            { source: 'a.pdf', page: '3' },
            { source: 'b.pdf', page: [1], url: 7 },
            { source: 'c.pdf', section: 4 },
            { page: 1 },
            null,
          ],
        },
      },
      {
        sources: [{ source: 'a.pdf', place: 'p. 3' }, { source: 'b.pdf' }, { source: 'c.pdf', place: '4' }],
      },
    ],
    [
      'addresses of no web page with single results',
      {
        task_done: true,
        data: {
          results: [
            { result: 'one', sources: [{ source: 'a', url: 'javascript:alert(1)' }] },
            { result: 'two', sources: [{ source: 'b', url: 'https://b.example/' }] },
            { result: 'three', sources: 'c' },
            'four',
          ],
        },
      },
      {
        data: {
          results: [
            { result: 'one', sources: [{ source: 'a' }] },
            { result: 'two', sources: [{ source: 'b', url: 'https://b.example/' }] },
            { result: 'three', sources: [] },
            'four',
          ],
        },
      },
    ],
  ])('may be %s', (_what, answer, expected) => {
    const { data, partial_data, error, sources } = read(answer);
    expect({ data, partial_data, error, sources }).toEqual({
      ...{ data: {}, partial_data: {}, error: null, sources: [] },
      ...expected,
    });
  });

  it.each([
    [{ task_done: false, result: 'No access.' }, false],
    [{ task_done: false, partial_data: { error: 'No access.' } }, false],
    [{ task_done: false, partial_data: { reason: 'denied_by_user', rows: null } }, false],
    [{ task_done: false, partial_data: { error: 'Half of it.', rows: [1] } }, true],
    [{ task_done: true, result: 'It is 12.' }, true],
  ])('%j is something to go on with: %s', (answer, isEnough) => {
    const { sources: _, ...said } = read(answer);
    const output = {
      ...{
        agent_id: 't1',
        agent_name: 'researcher',
        task_description: '',
        depends_on: [],
        ...said,
        changed: [],
        not_done: [],
      },
      ...{ resource_usage: { time_taken_ms: 0, api_calls_made: 1 }, metadata: { sources: [] } },
    };
    expect(canGoOn([output])).toBe(isEnough);
  });
});
