import { expect, it } from 'vitest';
import { createMarkAsRead } from '../../../../src/app/inbox/mark-as-read.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { NO_GRAPH, noAgent } from '../../../../src/programs/index.ts';
import { findCallEnd } from '../../../../src/slack/inbox/call-run.ts';
import { entriesOf } from '../../../helpers/audit.ts';
import { createFakeHub, ended, failure, success } from '../../../helpers/fake-hub.ts';
import { mailOf, openInboxes } from '../../../helpers/inbox.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const BOX = 'slack:T1:U1:mail';

/** Ana's listed mail, and the workers that send calls, over one store. */
async function open(
  action: 'allow' | 'ask' | 'deny',
  { isThere = true, isAvailable = true, isFailing = false } = {},
) {
  const reason = action === 'deny' && { reason: 'no' };
  const rules = [{ name: 'marks', tools: '*.mark_as_read', action, ...reason }];
  const run = () => ended(isFailing ? failure('mail could not be reached') : success('marked'));
  const hub = isThere ? createFakeHub({ server: 'mail', name: 'mark_as_read', run }) : createFakeHub();
  const network = startNetwork({
    hub,
    policy: policySchema.parse({ rules }),
    graphs: () => ({ [NO_GRAPH]: noAgent }),
  });
  const { gate, runs, store } = network;
  let count = 0;
  const markAsRead = createMarkAsRead({
    ...{ gate, openThread: runs.openThread },
    ids() {
      count += 1;
      return `c${count}`;
    },
    offer: async () => ({
      tools: (await hub.tools()).map((tool) => ({
        ...tool,
        ...(!isAvailable && { unavailableReason: 'it is down' }),
      })),
      instructions: [],
      down: [],
    }),
    findPlace: async () => ({
      requester: ana,
      threadId: (name) => `${THREAD}-${name}`,
      surface: { kind: 'slack', team: 'T1', channel: 'U1' },
    }),
  });
  const opened = await openInboxes([store, store], { markAsRead });
  await opened.turnOn();
  opened.server.mails.push(mailOf(1, { text: 'notify: news' }));
  await opened.next();
  const [mail] = await opened.one.mails(BOX, 'listed');
  return { ...opened, hub, gate, runs, id: mail?.id ?? '' };
}

it('marks a mail as read by one call on record, though its owner clicks twice', async () => {
  const { one, other, hub, runs, id, store } = await open('allow');
  await Promise.allSettled([one.done(ana.id, id), other.done(ana.id, id)]);
  await runs.idle();
  expect(hub.sent.filter(({ name }) => name === 'mark_as_read')).toEqual([
    { server: 'mail', name: 'mark_as_read', arguments: { message_id: 'm1' } },
  ]);
  expect(await one.mails(BOX, 'done')).toHaveLength(1);
  const [call] = await Promise.all(['c1', 'c2'].map((name) => entriesOf(store, `${THREAD}-${name}`)));
  expect(call?.map(({ what }) => what)).toContain('allowed');
});

it('asks nobody once more where the policy would', async () => {
  const { one, hub, runs, id } = await open('ask');
  await one.done(ana.id, id);
  await runs.idle();
  expect(hub.count('mark_as_read')).toBe(1);
  expect(await one.mails(BOX, 'done')).toHaveLength(1);
});

it('leaves the mail where it is where the policy denies it, and says so', async () => {
  const { one, hub, gate, runs, id } = await open('deny');
  await expect(one.done(ana.id, id)).rejects.toThrow(
    'Nothing was done: here, mails of mail may not be marked as read. An admin can change that.',
  );
  await runs.idle();
  expect(hub.count('mark_as_read')).toBe(0);
  expect(await gate.calls.waiting()).toMatchObject({ count: 0 });
  expect(await one.mails(BOX, 'listed')).toHaveLength(1);
});

it.each([{ isThere: false }, { isAvailable: false }])(
  'leaves the mail where it is while its server has no such tool: %j',
  async (which) => {
    const { one, id } = await open('allow', which);
    await expect(one.done(ana.id, id)).rejects.toMatchObject({ code: 'not_applicable' });
    expect(await one.mails(BOX, 'listed')).toHaveLength(1);
  },
);

it.each([
  { isFailing: false, states: [0, 1] },
  { isFailing: true, states: [1, 0] },
])('the mail is done as its call has ended: %j', async ({ isFailing, states }) => {
  const { one, gate, runs, id, place, work } = await open('allow', { isFailing });
  await one.done(ana.id, id);
  await runs.idle();
  place.instead.findEnd = (run) => findCallEnd(gate.calls, run);
  await work(one);
  const listed = await one.mails(BOX, 'listed');
  expect([listed.length, (await one.mails(BOX, 'done')).length]).toEqual(states);
  const reason = 'It couldn’t be marked as read: mail could not be reached';
  expect(listed).toMatchObject(isFailing ? [{ reason }] : []);
});
