import { z } from 'zod';
import { RefusalError } from '../../gate/types.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { slackEventId, slackThreadId } from '../ids.ts';
import { toActor } from '../people/actor.ts';
import { STOP } from '../texts/commands.ts';
import { bestEffort } from './best-effort.ts';
import type { Listeners } from './listeners.ts';
import { envelopeSchema } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

const stoppedSchema = z.object({
  user: z.string(),
  channel: z.string(),
  thread_ts: z.string(),
});

/** The users of revoked bot tokens: docs.slack.dev/reference/events/tokens_revoked. */
const revokedSchema = z.object({ tokens: z.object({ bot: z.array(z.string()).default([]) }) });

/** Handles the Stop button and the app being uninstalled. */
export function registerLifecycle(on: Listeners, ports: HandlerPorts): void {
  on.app.event('agent_session_stopped', async ({ event, body }) => {
    const stopped = stoppedSchema.safeParse(event);
    if (!stopped.success) return;
    const { user, channel, thread_ts: threadTs } = stopped.data;
    const { event_id: eventId } = envelopeSchema.parse(body);
    const actor = await toActor(ports, user);
    try {
      const threadId = await ports.runs.atWork(
        slackThreadId({ team: ports.bot().teamId, channel, threadTs }),
        actor,
      );
      // What waits for people is theirs to withdraw: Slack may show Stop for a moment longer than anything runs.
      if (await ports.runs.waitsForPeople(threadId, actor)) {
        ports.rest(threadId, 'suspended');
        return await tell(STOP.waits);
      }
      // With the event id, a redelivery doesn't stop what was requested since.
      const isStopping = await ports.runs.cancel(threadId, actor, {
        eventId: slackEventId(eventId),
      });
      // Slack leaves the session's status to us; where a run stops, its end changes it.
      if (!isStopping && (await ports.runs.openItems(threadId)).length === 0) ports.rest(threadId, 'active');
    } catch (error) {
      // For any other error, let Slack deliver the event again.
      if (!(error instanceof RefusalError)) throw error;
      await tell(error.userMessage);
    }

    function tell(words: string): Promise<void> {
      const place = { channel, user, thread_ts: threadTs };
      return bestEffort(ports, ports.client.chat.postEphemeral({ ...place, ...plainLine(words) }));
    }
  });

  on.app.event('app_uninstalled', async () => ports.access.refused('app_uninstalled'));
  on.app.event('tokens_revoked', async ({ event }) => {
    const revoked = revokedSchema.safeParse(event);
    // People's own tokens don't matter here.
    if (revoked.success && revoked.data.tokens.bot.includes(ports.bot().userId)) {
      ports.access.refused('tokens_revoked');
    }
  });
}
