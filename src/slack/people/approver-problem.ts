import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { ApproverRef } from '../../gate/types.ts';
import { parseApproverRef } from '../../gate/types.ts';
import { APPROVER_PROBLEM } from '../texts/people.ts';

const accountSchema = z.object({ user: z.object({ deleted: z.boolean().default(false) }) });
const groupsSchema = z.object({ usergroups: z.array(z.object({ id: z.string(), handle: z.string() })) });
const refusalSchema = z.object({ data: z.object({ error: z.string() }) });

/**
 * Why an approver named in the policy can't decide, in a sentence: there is no such user or group, or the
 * account is closed. Null where nothing is wrong, or Slack doesn't say.
 */
export async function approverProblem(client: WebClient, ref: ApproverRef): Promise<string | null> {
  const approver = parseApproverRef(ref);
  if (approver.kind === 'user') return userProblem(client, approver.id);
  if (approver.kind !== 'group') return null;
  const { id: name } = approver;
  const groups = groupsSchema.safeParse(await client.usergroups.list().catch(() => null));
  if (!groups.success || groups.data.usergroups.some(({ id, handle }) => id === name || handle === name))
    return null;
  return APPROVER_PROBLEM.noGroup(name);
}

async function userProblem(client: WebClient, user: string): Promise<string | null> {
  try {
    const account = accountSchema.safeParse(await client.users.info({ user }));
    return account.data?.user.deleted ? APPROVER_PROBLEM.closed(user) : null;
  } catch (error) {
    const refusal = refusalSchema.safeParse(error);
    const isUnknown = refusal.success && refusal.data.data.error === 'user_not_found';
    return isUnknown ? APPROVER_PROBLEM.noUser(user) : null;
  }
}
