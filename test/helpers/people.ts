import type { PeopleDirectory } from '../../src/gate/approval/people.ts';
import { parseApproverRef } from '../../src/gate/policy/approver-rules.ts';
import { parseSlackThreadId, slackChannelId } from '../../src/slack/ids.ts';
import { slackIdentity } from '../../src/slack/people/identity.ts';

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
