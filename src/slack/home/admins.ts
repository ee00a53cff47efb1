import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import type { HeldTools, ReviewTools } from '../../mcp/ports.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { readSlackTeam, readSlackUser } from '../ids.ts';
import { REVIEWS } from '../texts/home.ts';
import { APPROVERS } from './enqueue.ts';
import type { Homes } from './publisher.ts';

interface ToolReviewsPorts {
  readonly client: WebClient;
  readonly homes: Pick<Homes, 'changed'>;
  /** Slack users whom the operator named as admins. */
  readonly admins: readonly string[];
  readonly log: { warn(details: object, message: string): void };
}

/** The tools that wait for a review; null for people who may not review. */
export function createReviewList(ports: {
  readonly reviews: ReviewTools;
  readonly isAdmin: (actorId: string) => Promise<boolean>;
}) {
  return async (actorId: string): Promise<readonly HeldTools[] | null> =>
    (await ports.isAdmin(actorId)) ? ports.reviews.held() : null;
}

/**
 * Notifies the admins, once, that a server's tools wait for a review; their Homes show it anyway. Never
 * rejects.
 */
export async function notifyToolReview(ports: ToolReviewsPorts, server: string): Promise<void> {
  const words = REVIEWS.notice(server);
  const notices = ports.admins.map((user) =>
    ports.client.chat.postMessage({ channel: user, ...plainLine(words) }),
  );
  const results = await Promise.allSettled([ports.homes.changed([APPROVERS]), ...notices]);
  for (const result of results) {
    if (result.status === 'rejected') {
      ports.log.warn({ server, error: errorMessage(result.reason) }, 'failed to notify an admin of a review');
    }
  }
}

/** Checks whether somebody is an admin: named by the operator, or an admin of the workspace. */
export function createAdminCheck(
  admins: readonly string[],
  isSlackAdmin: (user: string, installation: string) => Promise<boolean>,
): (actorId: string) => Promise<boolean> {
  return async (actorId) => {
    const [user, installation] = [readSlackUser(actorId), readSlackTeam(actorId)];
    if (user === null || installation === null) return false;
    return admins.includes(user) || isSlackAdmin(user, installation);
  };
}
