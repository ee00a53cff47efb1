import type { Actor } from '../../../gate/types.ts';
import { sentence } from '../../../presentation/outcome-text.ts';
import { clip } from '../../../presentation/text/clip.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { describeNext } from '../../schedules/messages.ts';
import { SCHEDULE } from '../../texts/schedules.ts';
import { bestEffort } from '../best-effort.ts';
import { notifyPerson } from '../direct-message.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedThread, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { onClick } from '../register.ts';

/** How much of what was scheduled is repeated, in characters. */
const REPEATED = 400;

/** Handles Stop, Pause and Resume, in Home, in the list and under what was scheduled. */
export function registerSchedules(on: Listeners, ports: HandlerPorts): void {
  const { schedules, isAdmin } = ports;

  onClick(on, ports, ACTIONS.stopSchedule, async (click, actor) => {
    const id = clickedValue(click);
    const stopped = await schedules.stop(id, actor, { isAdmin: await isAdmin(actor.id) });
    const { owner, typed } = stopped;
    if (owner.id === actor.id) return tellDone(click, SCHEDULE.stopped(clip(typed, REPEATED)));
    const words = SCHEDULE.stoppedByAdmin(sentence(actor.name), clip(typed, REPEATED));
    await notifyPerson(ports, owner, plainLine(words));
    await tellDone(click, SCHEDULE.stoppedForSomebody(sentence(owner.name)));
  });

  const pause = (isPaused: boolean) => async (click: Click, actor: Actor) => {
    const changed = await schedules.pause(clickedValue(click), actor, { isPaused });
    await tellDone(click, describeNext(changed));
  };
  onClick(on, ports, ACTIONS.pauseSchedule, pause(true));
  onClick(on, ports, ACTIONS.resumeSchedule, pause(false));

  /** Home shows what came of it. A message can't, so it's said below that. */
  async function tellDone(click: Click, words: string): Promise<void> {
    if (click.channel === undefined) return;
    const told = { channel: click.channel.id, user: click.user.id, ...clickedThread(click) };
    await bestEffort(ports, ports.client.chat.postEphemeral({ ...told, ...plainLine(words) }));
  }
}
