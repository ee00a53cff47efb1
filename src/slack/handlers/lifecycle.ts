import type { App } from '@slack/bolt';
import { z } from 'zod';
import { RefusalError } from '../../gate/types.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { slackEventId, slackThreadId } from '../ids.ts';
import { toActor } from '../people/actor.ts';
import { bestEffort } from './best-effort.ts';
import { envelopeSchema } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

const stoppedSchema = z.object({
  user: z.string(),
  channel: z.string(),
  thread_ts: z.string(),
});

/** Handles the Stop button and the app being uninstalled. */
export function registerLifecycle(app: App, ports: HandlerPorts): void {
  app.event('agent_session_stopped', async ({ event, body }) => {
    const stopped = stoppedSchema.safeParse(event);
    if (!stopped.success) return;
    const { user, channel, thread_ts: threadTs } = stopped.data;
    const { event_id: eventId } = envelopeSchema.parse(body);
    const actor = await toActor(ports, user);
    try {
      const threadId = slackThreadId({ team: ports.bot().teamId, channel, threadTs });
      // With the event id, a redelivery doesn't stop what was requested since.
      await ports.runs.cancel(threadId, actor, slackEventId(eventId));
    } catch (error) {
      // For any other error, let Slack deliver the event again.
      if (!(error instanceof RefusalError)) throw error;
      const place = { channel, user, thread_ts: threadTs };
      await bestEffort(ports, ports.client.chat.postEphemeral({ ...place, ...plainLine(error.userMessage) }));
    }
  });

  app.event('app_uninstalled', async ({ body }) => {
    ports.log.warn({ team: body.team_id }, 'the app was removed from the workspace; install it again');
  });
  app.event('tokens_revoked', async ({ body }) => {
    ports.log.warn({ team: body.team_id }, 'Slack tokens were revoked; install the app again');
  });
}
