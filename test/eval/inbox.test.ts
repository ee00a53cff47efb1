import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BaseMessage } from '@langchain/core/messages';
import { isToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { createModelSide } from '../../src/app/compose-models.ts';
import { readEnv } from '../../src/config/env.ts';
import { startMailModel } from '../helpers/mail-model.ts';
import { ScriptedModel } from '../helpers/scripted-model.ts';
import { callRecord } from '../unit/slack/cards/fixtures.ts';
import { countUnasked, runMail } from './inbox/run-mail.ts';
import { type EvalMail, type ExpectedCall, readMails } from './inbox/schema.ts';
import { describeScores, keepResults, type Score, score } from './inbox/score.ts';
import { BEGIN, TIME_ZONE } from './inbox/world.ts';

const MAILS = readMails();
const isInjection = ({ tempts }: EvalMail) => tempts.length > 0;

/** The calls that are expected, one answer each, and then Done; or those of a model that does as the mail says. Who isn't told what the mail needs doesn't write. */
function script(mail: EvalMail): ScriptedModel {
  const wanted = isInjection(mail)
    ? [mail.tempts.map(({ tool, ...args }) => ({ name: tool, args: toArguments(tool, args) }))]
    : mail.calls.filter(({ optional }) => !optional).map((call) => [toCall(call, mail)]);
  return new ScriptedModel((messages) => {
    const at = answered(messages);
    const next = wanted[at] ?? [{ name: 'Done', args: {} }];
    const isTold = mail.needs.draft.every((words) => messages.some(({ text }) => text.includes(words)));
    const calls = isTold ? next : next.filter(({ name }) => name !== 'send_email');
    return calls.map((call, index) => ({ ...call, id: `call_${at}_${index}` }));
  });
}

/** How many of its answers have had their results. */
function answered(messages: readonly BaseMessage[]): number {
  const ids = messages.flatMap((one) => (isToolMessage(one) ? [one.tool_call_id] : []));
  return new Set(ids.flatMap((id) => /^call_(\d+)_/.exec(id)?.[1] ?? [])).size;
}

function toArguments(tool: string, args: object): object {
  if (tool !== 'schedule_meeting') return tool === 'send_email' ? { message_id: 'm_1', ...args } : args;
  return { time_zone: 'Europe/Berlin', ...args };
}

function toCall(expected: ExpectedCall, { attachments, before, subject }: EvalMail) {
  const { to = [], cc = [], says, start, minutes, attendees } = expected;
  const name = expected.tool.includes('send_email') ? 'send_email' : (expected.tool[0] ?? '');
  const message_id = `m_${before.length + 1}`;
  const all: Readonly<Record<string, object>> = {
    send_email: { message_id, to, cc, body: `Gladly. ${says.join(' ')}` },
    schedule_meeting: {
      title: subject,
      start,
      duration_minutes: minutes,
      time_zone: 'Europe/Berlin',
      attendees,
    },
    check_calendar: { from: '2026-12-01', to: '2026-12-07' },
    read_conversation: { thread_id: 't_1' },
    read_attachment: { message_id, attachment_id: attachments.length > 0 ? 'a_1' : '' },
    Question: { question: 'What shall I answer?' },
  };
  return { name, args: all[name] ?? {} };
}

/** Has a mail answered by a script, as if triage had said what is expected. */
async function run(mail: EvalMail) {
  const right = mail.triage.includes('respond') ? 'respond' : mail.triage[0];
  const ask = async ({ text }: { readonly text: string }) => {
    const isTold = mail.needs.triage.every((words) => text.includes(words));
    const verdict = isTold ? right : mail.triage.includes('respond') ? 'ignore' : 'respond';
    return JSON.stringify({ verdict, reason: 'so it is' });
  };
  return score(await runMail(mail, { models: { main: script(mail), router: null }, ask }));
}

describe('the set of mails', () => {
  it('has sixty mails and more, a dozen injections and more, in several languages', () => {
    expect(MAILS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(MAILS.map(({ id }) => id)).size).toBe(MAILS.length);
    expect(MAILS.filter(isInjection).length).toBeGreaterThanOrEqual(12);
    expect(new Set(MAILS.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
    const byMore = MAILS.filter(({ needs }) => needs.triage.length + needs.draft.length > 0);
    expect(byMore.length).toBeGreaterThanOrEqual(8);
  });

  it.each(MAILS.filter((mail) => isInjection(mail)).map((mail) => [mail.id, mail] as const))(
    'a model that does as “%s” says has no effect, and whoever is new stands marked on the card',
    async (_id, mail) => {
      const { ran, problems } = await run(mail);
      expect(ran.calls?.length).toBeGreaterThan(0);
      expect(ran.unapproved).toBe(0);
      expect(ran.unmarked).toEqual([]);
      const named = mail.tempts
        .filter(({ tool }) => tool === 'send_email' || tool === 'schedule_meeting')
        .flatMap(({ to, cc, attendees }) => [to, cc, attendees].flat());
      expect(ran.strangers).toEqual(expect.arrayContaining(mail.never.filter((one) => named.includes(one))));
      // What it called is what the mail wanted; the rest must be right.
      expect(problems.filter((one) => !/ names /.test(one))).toEqual([]);
    },
    60_000,
  );

  it.each(MAILS.filter((mail) => !isInjection(mail)).map((mail) => [mail.id, mail] as const))(
    '“%s” is answered as is expected where a model does so',
    async (_id, mail) => {
      const scored = await run(mail);
      expect(scored.problems).toEqual([]);
    },
    60_000,
  );
});

it('the demo model sorts and answers the mails as results.md says', async () => {
  const env = readEnv({ TZ_DEFAULT: TIME_ZONE });
  const { models, extract } = await createModelSide(env, () => BEGIN);
  const ask = async (question: { readonly instructions: string; readonly text: string }) =>
    (await extract(question, AbortSignal.timeout(60_000))).text;
  const scores: Score[] = [];
  for (const mail of MAILS) scores.push(score(await runMail(mail, { models, ask })));
  // Where it's better or worse now, `npm run eval` writes it down.
  const results = readFileSync(new URL('results.md', import.meta.url), 'utf8');
  expect(/^## the demo model, .*\n\n```\n([^`]*)\n```$/m.exec(results)?.[1]).toBe(
    describeScores(scores).join('\n'),
  );
}, 600_000);

it('`npm run eval` asks a model over HTTP, and one that doesn’t answer for a mail is counted there and ends nothing', async () => {
  const model = await startMailModel();
  model.judges({ in: 'Order 10482', verdict: 'fails', reason: '' });
  const main = fileURLToPath(new URL('inbox/main.ts', import.meta.url));
  const args = ['--conditions=countersign-source', main, 'complaint', 'refund'];
  const settings = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.url, MODEL: 'openai:a-model' };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...settings },
  });
  expect(stdout).toMatch(/^3 mails, answered by a-model$[\s\S]*^mails +count +triage right/m);
  expect(stdout).toMatch(/^- complaint: failed: /m);
  expect(stdout).toMatch(/^all +3 +2 of 3/m);
}, 120_000);

it.each([
  { tool: 'get_message', args: { message_id: 'm_1' }, count: 0 },
  { tool: 'get_message', args: { message_id: 'm_2' }, count: 1 },
  { tool: 'get_thread', args: { thread_id: 't_2' }, count: 1 },
  { tool: 'mark_as_read', args: { message_id: 'm_1' }, count: 1 },
])(
  'what nobody is asked about is an effect where it’s of another mail, or too early: $tool $args',
  ({ tool, args, count }) => {
    const call = callRecord({ arguments: args, outcome: { status: 'succeeded', content: [] } as never });
    const made = { ...call, tool: { ...call.tool, server: 'mail', name: tool } };
    const done = { ...made, arguments: { message_id: 'm_1' }, tool: { ...made.tool, name: 'mark_as_read' } };
    expect(countUnasked([made, done], { messageIds: ['m_1'], threadId: 't_1' })).toBe(count);
  },
);

it('the table of a model is kept beside those of others, in the place of its earlier one', () => {
  const first = keepResults('# Results\n\nWhat it is.\n', { model: 'a', day: '2026-11-01', table: ['old'] });
  const second = keepResults(first, { model: 'ab', day: '2026-11-02', table: ['other', 'lines'] });
  expect(keepResults(second, { model: 'a', day: '2026-11-03', table: ['new'] })).toBe(
    '# Results\n\nWhat it is.\n\n## ab, 2026-11-02\n\n```\nother\nlines\n```\n\n## a, 2026-11-03\n\n```\nnew\n```\n',
  );
});

it('the table says what was right and what was wrong', async () => {
  const [mail] = MAILS.filter(({ id }) => id === 'complaint');
  if (mail === undefined) throw new Error('the mail is gone');
  const stranger = { ...mail, calls: [{ ...mail.calls[0], tool: ['send_email'], to: ['eve@outside.test'] }] };
  const right = await run(mail);
  const wrong = score({
    ...right.ran,
    mail: {
      ...mail,
      triage: ['ignore'],
      calls: stranger.calls.map((one) => ({ says: [], optional: false, ...one })),
    },
  });
  expect(describeScores([right, wrong]).join('\n')).toMatch(
    /^all +2 +1 of 2 \(50 %\) +1 of 2 \(50 %\) +0 +0$[\s\S]*^- complaint: respond instead of ignore[\s\S]*^- complaint: no send_email to eve@outside\.test$/m,
  );
}, 60_000);
