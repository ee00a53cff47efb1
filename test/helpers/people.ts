import type { PeopleDirectory } from '../../src/gate/approval/people.ts';
import type { Actor } from '../../src/gate/call/actor.ts';
import { parseApproverRef } from '../../src/gate/policy/approver-rules.ts';
import { parseSlackThreadId, slackChannelId } from '../../src/slack/ids.ts';
import { slackIdentity } from '../../src/slack/people/identity.ts';

export const ana: Actor = { id: 'slack:T1:U1', name: 'Ana' };
export const bob: Actor = { id: 'slack:T1:U2', name: 'Bob' };
export const carol: Actor = { id: 'slack:T1:U3', name: 'Carol' };

/** Where they talk with the app. */
export const THREAD = 'slack:T1:C1:1.0';

/** A directory in which everybody is a member, of no group; people are told apart as in Slack. */
export const membersOnly: PeopleDirectory = {
  ...slackIdentity,
  standing: async () => 'member',
  belongs: async () => false,
  async nameOf(ref) {
    const approver = parseApproverRef(ref);
    return 'id' in approver ? approver.id : approver.kind;
  },
  groupOf(threadId) {
    const thread = parseSlackThreadId(threadId);
    return thread && slackChannelId(thread);
  },
};
