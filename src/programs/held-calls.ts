import { setTimeout as after } from 'node:timers/promises';
import type { Gate } from '../gate/index.ts';
import {
  type Actor,
  type CallRecord,
  callKey,
  type Progress,
  recordKey,
  type ToolSnapshot,
} from '../gate/types.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Runs } from '../runs/index.ts';
import {
  absent,
  type Page,
  put,
  type Range,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../storage/store.ts';
import type { ToolDefinition } from '../tools/ports.ts';
import { type ProgramLimits, proposeCounted } from './budget.ts';
import type { CallWaits, WaitOptions } from './call-waits.ts';
import { askedAs, type HeldCall, heldCalls, heldKey } from './collections.ts';
import { endIfLate, hasEnded, isGivenAgain, isOver, RETURNS_WITHIN_MS, UNHEARD_MS } from './ends.ts';
import { NO_GRAPH } from './no-agent.ts';
import type { Caller, CallPlace, FindPlace, Held } from './ports.ts';
import { openSession } from './program-sessions.ts';
import { SLACK_NOT_CONNECTED } from './texts.ts';

/** How long it may take until it's on record that a program was sent the end of its call, in milliseconds. */
const NOTED_WITHIN_MS = 100;

interface HeldCallPorts {
  readonly gate: Gate;
  readonly runs: Pick<Runs, 'openThread'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly findPlace: FindPlace;
  readonly waits: CallWaits;
  readonly limits: ProgramLimits;
  /** The tools that a person's calls may be of. */
  readonly tools: (place: CallPlace) => Promise<readonly ToolDefinition[]>;
  /** Whether the globs of a program's settings match `server.tool`. */
  readonly matches: (globs: readonly string[], tool: string) => boolean;
}

/** One call of a program. */
interface ToolCallInput {
  readonly session: string;
  /** The client's name, as it says; null where it doesn't. */
  readonly agentName: string | null;
  readonly tool: ToolSnapshot;
  readonly arguments: JsonObject;
}

/**
 * The calls that programs make through the gate: our workers send them once they may run. A call is on record before
 * anything is answered. The same call again, by the same program, attaches to that record until the program has heard
 * its end; so whoever asks again, or restarts, never makes a second card or a second run.
 */
export class HeldCalls {
  readonly #ports: HeldCallPorts;
  /** How many answers of this process wait for a call, by its key. */
  readonly #waiting = new Map<string, number>();

  constructor(ports: HeldCallPorts) {
    this.#ports = ports;
  }

  /** The tools that a program may use now. */
  async list(caller: Caller): Promise<readonly ToolDefinition[]> {
    const { settings } = caller;
    const tools = await this.#ports.tools(await this.#place(caller));
    return tools.filter(
      ({ server, name, role, unavailableReason }) =>
        role !== 'instructions' &&
        unavailableReason === undefined &&
        this.#ports.matches(settings.tools, `${server}.${name}`),
    );
  }

  /**
   * Proposes a call, or finds it: as it is now.
   * @throws AppError, such as `limit_reached`, and nothing was recorded then
   */
  async submit(caller: Caller, input: ToolCallInput): Promise<Held> {
    const { gate, store, runs, ids, clock, waits, limits } = this.#ports;
    const place = await this.#place(caller);
    waits.admit(caller.program.id);
    await openSession(this.#ports, { ...input, program: caller.program.id, agentType: 'mcp' });
    const { session } = input;
    const key = heldKey(caller.program.id, input.tool, input.arguments);
    for (let isSecondLook = false; ; ) {
      const held = await store.get(heldCalls, key);
      const known = held && (await this.#find(caller, held));
      if (known && !hasEnded(known)) return { key, call: known, session, hadEnded: false };
      if (known && !isSecondLook) {
        // Did the program miss the end of that call, or was it sent a moment ago, and this is another one?
        isSecondLook = true;
        await after(NOTED_WITHIN_MS);
        continue;
      }
      if (known && isGivenAgain(known, clock()))
        return { key, call: known, session, hadEnded: isOver(known, clock()) };
      const callId = ids();
      const threadId = place.threadId(callId);
      const { tool } = input;
      const record: HeldCall = {
        callKey: callKey(threadId, callId),
        program: caller.program.id,
        at: clock(),
        asked: askedAs(caller.program.id, tool.modelName, input.arguments),
        leftAt: null,
      };
      const expect = held ? unchanged(heldCalls, held) : absent(heldCalls, key);
      try {
        const { program } = caller;
        const call = await proposeCounted(limits, { program, place, threadId }, () =>
          gate.requests.propose({
            threadId,
            runId: `session:${session}`,
            requester: place.requester,
            program: { ...program, session: session },
            call: { callId, kind: 'tool', tool, modelName: tool.modelName, arguments: input.arguments },
            runBy: 'worker',
            also: async () => {
              const now = await store.get(heldCalls, key);
              if (now?.version !== held?.version) throw new ProposedElsewhere();
              return {
                expect: [expect],
                put: [
                  put(heldCalls, key, record),
                  runs.openThread({ threadId, surface: place.surface, graph: NO_GRAPH }),
                ],
              };
            },
          }),
        );
        return { key, call, session, hadEnded: false };
      } catch (error) {
        // The same call came twice at the same moment, and one of them is on record by now.
        if (!(error instanceof ProposedElsewhere)) throw error;
      }
    }
  }

  /**
   * The same call on record, of a tool that isn't there now, such as when its server is down: its end is what it was. Null
   * if there is none.
   */
  async repeated(
    caller: Caller,
    { name, arguments: args, session }: { name: string; arguments: JsonObject; session: string },
  ): Promise<Held | null> {
    const asked = { prefix: [askedAs(caller.program.id, name, args)] };
    for (const held of (await this.#ports.store.query(heldCalls, 'byAsked', asked, SAME_NAME)).items) {
      const call = await this.#find(caller, held);
      const now = this.#ports.clock();
      if (!call || (hasEnded(call) && !isGivenAgain(call, now))) continue;
      return { key: held.id, call, session, hadEnded: isOver(call, now) };
    }
    return null;
  }

  /** A call that this program has on record, by its key; null if it has none. */
  async get(caller: Caller, key: string): Promise<CallRecord | null> {
    const call = await this.#ports.gate.calls.get(key);
    return call?.program?.id === caller.program.id ? call : null;
  }

  /** A call that this program was told to ask about again, by its key, for one of its sessions. */
  async find(caller: Caller, callKey: string, session: string): Promise<Held | null> {
    const call = await this.get(caller, callKey);
    if (!call) return null;
    const [held] = (await this.#ports.store.query(heldCalls, 'byCall', { prefix: [callKey] }, 1)).items;
    const now = held && ((await this.#find(caller, held)) ?? (await this.get(caller, callKey)));
    return { key: held?.id ?? '', call: now ?? call, session, hadEnded: false };
  }

  /**
   * Waits until the call has ended, and notes in the session that asks what it is given then; null once the bounds are
   * reached. Of the call of another session, it's not told what the tool says of its progress, but how far it is.
   */
  async wait({ call, session }: Held, options: WaitOptions): Promise<CallRecord | null> {
    const { gate, waits, clock } = this.#ports;
    const isOwn = call.program?.session === session;
    const onProgress = (it: Progress) => options.onProgress?.(isOwn ? it : { ...it, message: null });
    const waited = { key: recordKey(call), program: call.program?.id ?? '', isDone: hasEnded };
    const ended = hasEnded(call) ? call : await waits.wait(waited, { ...options, onProgress }, clock());
    if (ended) await gate.risk.noteGiven(ended, session);
    return ended;
  }

  /** The program was sent the end of its call: the same call again is another one, unless this one is unclear as yet. */
  async heard({ key, call }: Held): Promise<void> {
    const { store, clock } = this.#ports;
    const held = key === '' || !isOver(call, clock()) ? null : await store.get(heldCalls, key);
    if (held?.value.callKey !== recordKey(call)) return;
    await store.commit({ expect: [unchanged(heldCalls, held)], delete: [ref(heldCalls, key)] });
  }

  /** Withdraws a call that nobody has decided yet, as its program no longer wants it. Any other goes on. */
  async cancel({ program: { id, name } }: Caller, { call, ...held }: Held): Promise<void> {
    if (call.state !== 'pending' || call.requestId === null) return;
    await this.#ports.gate.requests.cancel(call.requestId, { id, name }, { as: 'cancelled' });
    // The program needn't hear what it did itself: the same call is a new one.
    const now = await this.#ports.gate.calls.get(recordKey(call));
    if (now?.state === 'cancelled') await this.heard({ ...held, call: now });
  }

  /** Notes that an answer of this process waits for the call. Returns how to say that it no longer does. */
  enter({ call }: Held): () => void {
    const key = recordKey(call);
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#waiting.get(key) ?? 1) - 1;
      if (left > 0) this.#waiting.set(key, left);
      else this.#waiting.delete(key);
    };
  }

  /**
   * The program went away without having been told that it will be answered later. Not so while another connection of it
   * waits for the same call.
   */
  async left(caller: Caller, { key, call }: Held): Promise<void> {
    const { gate, store, clock } = this.#ports;
    const { id, name } = caller.program;
    if (this.#waiting.has(recordKey(call))) return;
    await gate.requests.notePresence(recordKey(call), { id, name }, { isThere: false });
    const held = key === '' ? null : await store.get(heldCalls, key);
    if (held?.value.callKey !== recordKey(call)) return;
    const record = { ...held.value, leftAt: clock() };
    await store.commit({ expect: [unchanged(heldCalls, held)], put: [put(heldCalls, key, record)] });
  }

  /** Ends what was approved for programs that didn't come back in time, and forgets ends that no same call has asked for. */
  async sweep(): Promise<void> {
    const { gate, store, clock } = this.#ports;
    const forget = (held: Stored<HeldCall>) =>
      store.commit({ expect: [unchanged(heldCalls, held)], delete: [ref(heldCalls, held.id)] });
    for await (const held of this.#each('byLeaving', { before: [clock() - RETURNS_WITHIN_MS] })) {
      const call = await gate.calls.get(held.value.callKey);
      if (!call || (await endIfLate(this.#ports, call))) await forget(held);
    }
    const before = clock() - UNHEARD_MS;
    for await (const held of this.#each('byTime', { before: [before] })) {
      const call = await gate.calls.get(held.value.callKey);
      if (!call || (call.endedAt !== null && call.endedAt < before)) await forget(held);
    }
  }

  /** Withdraws, in this person's name, what a program has asked for and nobody has decided yet: it may call nothing more. */
  async withdraw(program: string, person: Actor): Promise<void> {
    const { gate } = this.#ports;
    for await (const { value } of this.#each('byProgram', { prefix: [program] })) {
      const call = await gate.calls.get(value.callKey);
      if (call?.state !== 'pending' || call.requestId === null) continue;
      await gate.requests.cancel(call.requestId, person, { as: 'cancelled' });
    }
  }

  async *#each(index: keyof typeof heldCalls.indexes, range: Range): AsyncGenerator<Stored<HeldCall>> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from = cursor === '' ? range : { ...range, cursor };
      const page: Page<HeldCall> = await this.#ports.store.query(heldCalls, index, from, AT_ONCE);
      yield* page.items;
      cursor = page.next;
    }
  }

  /** The call of this record, with its program back; null if there is none, or the program is back too late. */
  async #find({ program: { id, name } }: Caller, held: Stored<HeldCall>): Promise<CallRecord | null> {
    const { gate } = this.#ports;
    const { callKey: key } = held.value;
    const call = await gate.calls.get(key);
    if (!call || (await endIfLate(this.#ports, call))) return null;
    if (call.program?.leftAt === undefined) return call;
    return gate.requests.notePresence(key, { id, name }, { isThere: true });
  }

  async #place(caller: Caller): Promise<CallPlace> {
    const place = await this.#ports.findPlace(caller.settings);
    if (place) return place;
    throw new AppError({ code: 'slack_not_connected', userMessage: SLACK_NOT_CONNECTED, retryable: true });
  }
}

class ProposedElsewhere extends Error {}

/** The most tools looked for that had the same name for models, one after the other. */
const SAME_NAME = 3;
/** How many records are read together. */
const AT_ONCE = 100;
