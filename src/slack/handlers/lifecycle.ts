import type { App } from '@slack/bolt';
import { z } from 'zod';
import { RefusalError } from '../../gate/decisions.ts';
import { plainLine } from '../cards/lines.ts';
import { slackActorId, slackThreadId } from '../thread-id.ts';
import { courtesy } from './courtesy.ts';
import type { HandlerPorts } from './ports.ts';

const stoppedSchema = z.object({
  user: z.string(),
  channel: z.string(),
  thread_ts: z.string(),
});

/** The Stop button, and the end of an installation. */
export function registerLifecycle(app: App, ports: HandlerPorts): void {
  app.event('agent_session_stopped', async ({ event, body }) => {
    const stopped = stoppedSchema.safeParse(event);
    if (!stopped.success) return;
    const { user, channel, thread_ts: threadTs } = stopped.data;
    const actor = { id: slackActorId(body.team_id, user), name: await ports.directory.nameOf(user) };
    try {
      await ports.runs.cancel(slackThreadId({ team: body.team_id, channel, threadTs }), actor);
    } catch (error) {
      // Anything else is worth another delivery of the event.
      if (!(error instanceof RefusalError)) throw error;
      const place = { channel, user, thread_ts: threadTs };
      await courtesy(ports, ports.client.chat.postEphemeral({ ...place, ...plainLine(error.userMessage) }));
    }
  });

  app.event('app_uninstalled', async ({ body }) => {
    ports.log.warn(
      { team: body.team_id },
      'the app was removed from the workspace; nothing can be shown there',
    );
  });
  app.event('tokens_revoked', async ({ body }) => {
    ports.log.warn({ team: body.team_id }, 'Slack tokens were revoked; install the app again');
  });
}
