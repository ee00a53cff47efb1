import { expect, it } from 'vitest';
import { MANNER } from '../../../../src/agents/inbox/prompts.ts';
import { offerFor } from '../../../../src/agents/inbox/tools.ts';
import { BUILT_IN_RULES } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { MAILBOX_WRITES } from '../../../../src/gate/policy/own-servers.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { callKey, OWN_SERVER } from '../../../../src/gate/types.ts';
import { createFakeHub, ended } from '../../../helpers/fake-hub.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { MAIL_ID, mailTools, openInboxNetwork, STANDING_WISH, sentBy } from '../../../helpers/inbox-agent.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const REPLY = { message_id: MAIL_ID, to: ['cy@other.test'], body: 'Gladly.' };
const termsUntil = (until: number) => ({ fixed: [], scope: 'requester', until, limit: 5 }) as const;

it('what a mail has drafted waits and can’t be remembered, where the policy allows everything', async () => {
  const policy = policySchema.parse({ default: 'allow', rules: [{ tools: '*', action: 'allow' }] });
  const network = openInboxNetwork({ policy });
  network.model.script([
    { id: 'r', name: 'send_email', args: REPLY },
    { id: 'm', name: 'schedule_meeting', args: { title: 'Lunch' } },
  ]);
  network.runs.start();
  await network.say(STANDING_WISH, { graph: 'inbox' });
  expect(sentBy(network)).toEqual([['get_message', MAIL_ID]]);
  expect([await network.isPending('r'), await network.isPending('m')]).toEqual([true, true]);
  const { digest } = await network.call('r');
  const terms = termsUntil(Date.now() + 60_000);
  await expect(
    network.gate.grants.approveAndIssue(network.keyOf('r'), ana, { digest, terms }),
  ).rejects.toThrow('The rule countersign requires approval every time.');
});

it('an explanation of the policy knows all that is called to change something', async () => {
  const run = () => ended({ status: 'succeeded' as const, content: [], structured: null });
  const ofCalendar = ['list_events', 'create_event', 'update_event', 'delete_event'];
  const ofMail = ['list_new_messages', 'check_reply', 'send_message'];
  const tools = await createFakeHub(
    ...mailTools(),
    ...ofMail.map((name) => ({ server: 'mail', name, run })),
    ...ofCalendar.map((name) => ({ server: 'calendar', name, run })),
  ).tools();
  const mail = { server: 'mail', messageId: MAIL_ID, conversationId: 't1', calendar: 'calendar', owner: ana };
  const { tools: offered } = offerFor(mail, { tools, instructions: [], down: [] });
  const evaluate = compilePolicy(policySchema.parse({ default: 'allow' }), BUILT_IN_RULES);
  const changing = offered.filter(
    ({ server, name: tool }) =>
      server !== OWN_SERVER &&
      (tool === 'mark_as_read' || evaluate({ server, tool, arguments: {}, graph: 'inbox' }).action === 'ask'),
  );
  expect(changing.map(({ name }) => name).toSorted()).toEqual([...MAILBOX_WRITES].toSorted());
});

it('the model is told that a tool only looks things up where it runs with nobody asked, and of no other', async () => {
  const run = () => ended({ status: 'succeeded' as const, content: [], structured: null });
  const ofMail = ['reply_to_message', 'get_attachment', 'get_thread'];
  const ofCalendar = ['create_event', 'list_events', 'get_free_busy'];
  const tools = await createFakeHub(
    ...ofMail.map((name) => ({ server: 'mail', name, run })),
    ...ofCalendar.map((name) => ({ server: 'calendar', name, run })),
  ).tools();
  const mail = { server: 'mail', messageId: MAIL_ID, conversationId: 't1', calendar: 'calendar', owner: ana };
  const { tools: offered } = offerFor(mail, { tools, instructions: [], down: [] });
  const evaluate = compilePolicy(policySchema.parse({ default: 'allow' }), BUILT_IN_RULES);
  const unasked = offered.filter(
    ({ server, name: tool }) =>
      server !== OWN_SERVER && evaluate({ server, tool, arguments: {}, graph: 'inbox' }).action === 'allow',
  );
  const [told = ''] = /[^.]* only look things up/.exec(MANNER.join(' ')) ?? [];
  expect(told.match(/[a-z]+_[a-z_]+/g)?.toSorted()).toEqual(
    unasked.map(({ modelName }) => modelName).toSorted(),
  );
});

it('a grant for the same tool lets nothing through that a mail has drafted', async () => {
  const { gate, fence, call } = openGate({
    evaluate: compilePolicy(policySchema.parse({}), BUILT_IN_RULES),
  });
  await gate.requests.open({ ...opening(await fence(), proposed('c1')), interruptId: 'c1' });
  const { digest } = await call('c1');
  await gate.grants.approveAndIssue(callKey(THREAD, 'c1'), ana, { digest, terms: termsUntil(2_000_000) });
  const begin = async (id: string, tool = {}) =>
    (await gate.journal.begin(beginning(await fence(), proposed(id, tool)))).kind;
  expect(await begin('c2')).toBe('ready');
  expect(await begin('c3', { graph: 'inbox' })).toBe('waiting');
});
