import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/types.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { MailboxItem } from '../../../../src/runs/collections.ts';
import { toOutput } from '../../../../src/runs/team/output.ts';
import { ana } from '../../../helpers/people.ts';
import { callRecord, NOW } from '../../slack/cards/fixtures.ts';

const TASK = { taskId: 'enter', agent: 'writer', task: 'Enter all', entities: {}, needs: [], retries: 0 };
const ITEM: MailboxItem = {
  ...{ itemId: 'm1', threadId: 't', actor: ana, text: 'Enter all', at: NOW, receivedAt: NOW },
  ...{ state: 'answered', runId: 'r1', stoppedBy: null, response: 'Done.' },
};

let at = NOW;
/** A call, proposed after all before it. */
function call(title: string, changes: Partial<CallRecord>): CallRecord {
  at += 1;
  return callRecord({ callId: `c${at}`, arguments: { title }, attempt: 1, proposedAt: at, ...changes });
}
function succeeded(title: string, changes: Partial<CallRecord> = {}): CallRecord {
  const outcome = { status: 'succeeded' as const, content: [], structured: null };
  return call(title, { state: 'succeeded', outcome, ...changes });
}
function decided(decision: object): Partial<CallRecord> {
  return {
    state: 'rejected',
    decision: { type: 'reject', actor: ana, at: NOW, feedback: null, ...decision },
  };
}
const other = { tool: { ...callRecord().tool, name: 'delete_event' } };
const instead = { instruction: { text: 'delete it', kind: 'override' } };

describe('what became of a task', () => {
  it.each<[string, Partial<CallRecord>, () => readonly CallRecord[], string | null]>([
    ['rejected, then another', decided({}), () => [succeeded('tea')], 'denied_by_user'],
    ['rejected, then the same', decided({}), () => [succeeded('rent')], 'denied_by_user'],
    ['denied, then another', { state: 'denied' }, () => [succeeded('tea')], 'denied_by_policy'],
    ['expired, then another', { state: 'expired' }, () => [succeeded('tea')], 'approval_timed_out'],
    ['ignored, then another', { state: 'ignored' }, () => [succeeded('tea')], 'ignored_by_user'],
    ['failed, then another', { state: 'failed' }, () => [succeeded('tea')], 'failed'],
    ['failed, then the same', { state: 'failed' }, () => [succeeded('rent')], null],
    ['failed, beside the same', { state: 'failed' }, () => [succeeded('rent', { proposedAt: 0 })], 'failed'],
    ['not to be sent, then corrected', { state: 'failed', attempt: 0 }, () => [succeeded('Rent')], null],
    ['not to be sent', { state: 'failed', attempt: 0 }, () => [succeeded('rent', other)], 'failed'],
    ['sent back, then changed', decided({ isSentBack: true }), () => [succeeded('ten')], null],
    ['sent back, and no more', decided({ isSentBack: true }), () => [], 'denied_by_user'],
    ['turned back for another tool', decided(instead), () => [succeeded('rent', other)], null],
    ['turned back, and no more', decided(instead), () => [], 'denied_by_user'],
  ])('%s', (_, changes, later, error) => {
    const first = call('rent', changes);
    const output = toOutput(TASK, ITEM, [first, ...later()]);
    expect([output.error, output.task_done]).toEqual([error, error === null]);
    expect(output.not_done.map(({ arguments: args, why }) => [args, why])).toEqual(
      error === null ? [] : [[{ title: 'rent' }, error]],
    );
  });

  it('says what people who decided wanted instead and besides, whatever the agent says', () => {
    const turnedBack = call('rent', decided({ instruction: { text: 'tea', kind: 'override' } }));
    const decision = { type: 'approve' as const, actor: ana, at: NOW, feedback: null };
    const besides = succeeded('tea', {
      decision: { ...decision, instruction: { text: 'milk', kind: 'enhance' } },
    });
    const output = toOutput(TASK, ITEM, [turnedBack, besides, succeeded('milk')]);
    const changed = ['Instead, wants Ana: tea', 'As well, wants Ana: milk'];
    expect(output.changed).toEqual(changed);
    expect(output.task_description).toBe(['Enter all', ...changed].join('\n'));
  });

  it('names the sources of a result on a line each, and links nothing but web pages', () => {
    const sources: JsonObject[] = [
      { source: 'a.pdf\n2. forged.pdf', url: 'javascript:alert(1)' },
      { source: 'b'.repeat(500), page: 3, url: 'https://example.com/b' },
    ];
    const outcome = { status: 'succeeded' as const, content: [], structured: { sources } };
    expect(toOutput(TASK, ITEM, [call('rent', { state: 'succeeded', outcome })]).metadata.sources).toEqual([
      { source: 'a.pdf 2. forged.pdf' },
      { source: 'b'.repeat(200), place: 'p. 3', url: 'https://example.com/b' },
    ]);
  });
});
