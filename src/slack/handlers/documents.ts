import { z } from 'zod';
import { ACTIONS } from '../cards/action-ids.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** docs.slack.dev/reference/events/file_deleted: the id, and not the file. */
const deletedSchema = z.object({ file_id: z.string() });

/** Handles files that are deleted in Slack, and Forget, which deletes what was learned of one. */
export function registerDocuments(on: Listeners, ports: HandlerPorts): void {
  on.app.event('file_deleted', async ({ event }) => {
    await ports.intake.fileDeleted(deletedSchema.parse(event).file_id);
  });

  onClick(on, ports, ACTIONS.forgetDocument, async (click, actor) => {
    await ports.intake.forget(clickedValue(click), actor);
    await ports.homes.changed([actor.id]);
  });
}
