import type { EnvelopeKind } from '../delivery/delivery.ts';
import type { SocketMode } from '../delivery/socket-mode.ts';
import { PersonRefusal } from '../errors.ts';
import type { InteractionContext } from '../interactions/context.ts';
import type { JsonObject } from '../json.ts';
import type { RecordedCall, WebApi } from '../web-api/dispatch.ts';
import type { Fault, Faults } from '../web-api/faults.ts';
import { callsEverybody } from '../workspace/message-text.ts';
import type { Change, Message, Person, StatusRecord, Workspace } from '../workspace/types.ts';
import { findName, requireChannel, requirePerson } from './lookup.ts';
import { createPersonDriver, type PersonDriver } from './person.ts';
import { type Rendered, renderText } from './render-text.ts';
import { waitUntil } from './wait.ts';
import { addPerson, createWorkspaceEdits, type WorkspaceEdits } from './workspace-edits.ts';

/** How tests (and scripted demonstrations) use the workspace. Channels and people go by id or by name. */
export interface Driver extends WorkspaceEdits {
  readonly workspace: Workspace;
  as(user: string): PersonDriver;
  /** A channel's messages in order: the thread's when `threadTs` is given; what only `user` sees is in it when `user` is. */
  messages(
    channel: string,
    options?: { readonly threadTs?: string; readonly user?: string },
  ): readonly Message[];
  /** The message with this ts as it is now. Throws when there is none. */
  message(channel: string, ts: string): Message;
  /** The newest message that fits, ephemeral ones included, now or within `timeoutMs`. */
  waitForMessage(fits: (message: Message) => boolean, timeoutMs?: number): Promise<Message>;
  /** Looks at every change until the answer is truthy. */
  waitUntil<T>(look: () => T | undefined | null | false | 0 | '', timeoutMs?: number): Promise<T>;
  /** Resolves when no event waits or is under way. */
  eventsDelivered(timeoutMs?: number): Promise<void>;
  /** How many events wait or are under way. */
  undelivered(): number;
  /** What a person reads in a message or view, names instead of ids. */
  text(shown: Rendered): string;
  /** Web API calls so far, in order, tokens left out. */
  calls(method?: string): readonly RecordedCall[];
  /** The bodies of all events so far, as they were sent to the app. */
  events(): readonly JsonObject[];
  /** Messages of the app, also overwritten and deleted ones, that called `@channel`, `@here` or `@everyone`. */
  broadcasts(): readonly Message[];
  /** The statuses that were set under a thread, also the empty ones, in order. */
  statuses(threadTs?: string): readonly StatusRecord[];
  /** Lets the next calls of a Web API method fail. */
  fault(fault: Fault): void;
  /**
   * Asks the app's connections to come back, breaks them or says nothing more on them. A warned one still gets envelopes
   * for 10 seconds.
   */
  disconnectSockets(how?: Disconnection): void;
  /** Sends a frame as it is on every connection of Socket Mode. */
  sendFrame(text: string): void;
  appConnected(): boolean;
  waitForApp(timeoutMs?: number): Promise<void>;
  /** Sends any payload to the app as if it came from Slack; answers what stood in the ack. */
  forge(kind: EnvelopeKind, payload: JsonObject): Promise<JsonObject | null>;
  addUser(person: Pick<Person, 'id' | 'name'> & Partial<Person>): PersonDriver;
  /** Switches to HTTP delivery; rejects when the app does not answer the challenge. */
  setEventsUrl(url: string): Promise<void>;
  onChange(listener: (change: Change) => void): () => void;
}

const DISCONNECTIONS = {
  refresh: (sockets: SocketMode) => sockets.disconnectAll('refresh_requested', 0),
  warning: (sockets: SocketMode) => sockets.disconnectAll('warning', 10_000),
  turn_off: (sockets: SocketMode) => sockets.disconnectAll('link_disabled', 0),
  break: (sockets: SocketMode) => sockets.terminateAll(),
  silence: (sockets: SocketMode) => sockets.silenceAll(),
};
type Disconnection = keyof typeof DISCONNECTIONS;

interface DriverParts {
  readonly interactions: InteractionContext;
  readonly webApi: WebApi;
  readonly faults: Faults;
  readonly socketMode: SocketMode;
  readonly setEventsUrl: (url: string) => Promise<void>;
}

/** Creates the driver of a workspace. */
export function createDriver({
  interactions,
  webApi,
  faults,
  socketMode,
  setEventsUrl,
}: DriverParts): Driver {
  const { workspace, queue, waitMs } = interactions;
  const broadcasts: Message[] = [];
  workspace.subscribe((change) => {
    const isShown = change.type === 'posted' || change.type === 'changed';
    if (isShown && change.message.byApp && callsEverybody(change.message)) broadcasts.push(change.message);
  });
  const text = (shown: Rendered): string => renderText(shown, (id) => findName(workspace, id));
  const everything = (): Message[] => [...workspace.messages.values()].flat();
  const recently = (): string => {
    const last = everything()
      .toSorted((a, b) => Number(a.ts) - Number(b.ts))
      .slice(-8);
    const calls = webApi.calls.slice(-5).map((it) => `${it.method} ${it.error ?? 'ok'}`);
    return `It didn't happen in time. The last messages:\n${last.map((it) => `${findName(workspace, it.user)}: ${text(it)}`).join('\n')}\nThe last calls: ${calls.join(', ')}`;
  };
  const as = (user: string): PersonDriver =>
    createPersonDriver(interactions, requirePerson(workspace, user).id);
  return {
    workspace,
    as,
    messages: (channel, { threadTs, user } = {}) => {
      const reader = user === undefined ? undefined : requirePerson(workspace, user).id;
      return (workspace.messages.get(requireChannel(workspace, channel).id) ?? []).filter(
        (it) =>
          (it.ephemeralFor === null || it.ephemeralFor === reader) &&
          (threadTs === undefined || it.ts === threadTs || it.threadTs === threadTs),
      );
    },
    message: (channel, ts) => {
      const found = workspace.messages.get(requireChannel(workspace, channel).id)?.find((it) => it.ts === ts);
      if (found === undefined)
        throw new PersonRefusal('message_not_found', 'That message does not exist any more.');
      return found;
    },
    waitForMessage: (fits, timeoutMs = waitMs) =>
      waitUntil(workspace, () => everything().findLast(fits), recently, timeoutMs),
    waitUntil: (look, timeoutMs = waitMs) => waitUntil(workspace, look, recently, timeoutMs),
    eventsDelivered: async (timeoutMs = waitMs) => {
      await waitUntil(workspace, () => queue.undelivered() === 0, recently, timeoutMs);
    },
    undelivered: queue.undelivered,
    text,
    calls: (method) => webApi.calls.filter((it) => method === undefined || it.method === method),
    events: () => queue.pushed,
    broadcasts: () => broadcasts,
    statuses: (threadTs) =>
      workspace.statuses.filter((it) => threadTs === undefined || it.threadTs === threadTs),
    fault: faults.add,
    disconnectSockets: (how = 'refresh') => DISCONNECTIONS[how](socketMode),
    sendFrame: socketMode.sendFrame,
    appConnected: () => interactions.delivery().connected(),
    waitForApp: async (timeoutMs = waitMs) => {
      await waitUntil(
        workspace,
        () => interactions.delivery().connected(),
        () => 'The app did not connect.',
        timeoutMs,
      );
    },
    forge: async (kind, payload) => (await interactions.delivery().send({ kind, payload })).body,
    ...createWorkspaceEdits(workspace, queue),
    addUser: (person) => {
      addPerson(workspace, person);
      return as(person.id);
    },
    setEventsUrl,
    onChange: workspace.subscribe,
  };
}
