import { z } from 'zod';
import { ACTIONS } from '../cards/action-ids.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { FORGET } from '../texts/documents.ts';
import { bestEffort } from './best-effort.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** docs.slack.dev/reference/events/file_deleted, and file_change: the id, and neither the file nor what has changed. */
const fileEventSchema = z.object({ file_id: z.string() });

/** Handles files that are changed and deleted in Slack, and Forget, which deletes what was learned of one. */
export function registerDocuments(on: Listeners, ports: HandlerPorts): void {
  on.app.event('file_deleted', async ({ event }) => {
    await ports.intake.fileDeleted(fileEventSchema.parse(event).file_id);
  });

  on.app.event('file_change', async ({ event }) => {
    await ports.intake.fileChanged(fileEventSchema.parse(event).file_id);
  });

  onClick(on, ports, ACTIONS.forgetDocument, async (click, actor) => {
    const isDone = await ports.intake.forget(clickedValue(click), actor);
    await ports.homes.changed([actor.id]);
    // The list of a command can't be brought up to date.
    if (!click.container?.is_ephemeral || click.channel === undefined) return;
    const told = {
      channel: click.channel.id,
      user: click.user.id,
      ...plainLine(isDone ? FORGET.done : FORGET.begun),
    };
    await bestEffort(ports, ports.client.chat.postEphemeral(told));
  });
}
