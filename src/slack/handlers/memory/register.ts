import { type Actor, RefusalError } from '../../../gate/types.ts';
import { ACTIONS, MODALS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { editMemoryModal, readEditedMemory } from '../../modals/edit-memory.ts';
import { readModalKeys } from '../../modals/modal.ts';
import { MEMORY_DONE } from '../../texts/memory.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { fieldErrors, onClick, onSubmit } from '../register.ts';

/** Handles what people do with what is remembered of them. Whoever clicks only ever reaches their own. */
export function registerMemory(on: Listeners, ports: HandlerPorts): void {
  const { memory, homes } = ports;

  onClick(on, ports, ACTIONS.memoryItem, async (click, actor) => {
    const [, verb, id = ''] = /^(edit|forget):(.+)$/s.exec(clickedValue(click)) ?? [];
    if (verb === 'edit') return openForm(click, actor, id);
    if (!(await memory.forget(actor.id, id))) throw refusal(MEMORY_DONE.gone);
    await tellDone(click, actor, MEMORY_DONE.forgotten);
  });

  onClick(on, ports, ACTIONS.forgetMemories, async (click, actor) => {
    await memory.forgetAll(actor.id);
    await tellDone(click, actor, MEMORY_DONE.forgotten);
  });

  onClick(on, ports, ACTIONS.turnMemory, async (click, actor) => {
    const isOn = clickedValue(click) === 'on';
    if (!(await memory.turn(actor.id, isOn))) throw refusal(MEMORY_DONE.notHere);
    await tellDone(click, actor, isOn ? MEMORY_DONE.turnedOn : MEMORY_DONE.turnedOff);
  });

  onSubmit(on, ports, MODALS.editMemory, async ({ view }, actor) => {
    const reading = readEditedMemory(view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const { id } = readModalKeys(view.private_metadata);
    if (!(await memory.change(actor.id, String(id), reading.words))) throw refusal(MEMORY_DONE.gone);
    await homes.changed([actor.id]);
    return null;
  });

  async function openForm(click: Click, actor: Actor, id: string): Promise<void> {
    const { mode, items } = await memory.read(actor.id);
    const item = items.find((one) => one.id === id);
    if (!item) throw refusal(MEMORY_DONE.gone);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: editMemoryModal(item, mode) });
  }

  /** Home shows what came of it. The list of a command can't be brought up to date, so it's said below that. */
  async function tellDone(click: Click, actor: Actor, words: string): Promise<void> {
    await homes.changed([actor.id]);
    if (!click.container?.is_ephemeral || click.channel === undefined) return;
    const told = { channel: click.channel.id, user: click.user.id, ...plainLine(words) };
    await bestEffort(ports, ports.client.chat.postEphemeral(told));
  }
}

function refusal(words: string): RefusalError {
  return new RefusalError('not_applicable', words);
}
