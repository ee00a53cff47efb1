import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Delivery } from './delivery/delivery.ts';
import { createEventQueue } from './delivery/event-queue.ts';
import { forwardEvents } from './delivery/events.ts';
import { createHttpEvents } from './delivery/http-events.ts';
import { createSocketMode } from './delivery/socket-mode.ts';
import { createDriver, type Driver } from './driver/driver.ts';
import { ConfigError } from './errors.ts';
import type { GestureContext } from './interactions/context.ts';
import { createResponseUrls } from './interactions/response-urls.ts';
import { createTriggers } from './interactions/triggers.ts';
import { createWorkspaceServer, type PageHandler } from './server/server.ts';
import { createWebApi } from './web-api/dispatch.ts';
import { createFaults } from './web-api/faults.ts';
import { createRateLimiter, type RateMode } from './web-api/rates.ts';
import { systemClock, type WorkspaceClock } from './workspace/clock.ts';
import { createOpenId } from './workspace/open-id.ts';
import { APP_ID, BOT_ID, BOT_USER, DEFAULT_SCOPES, DEFAULT_SUBSCRIPTIONS } from './workspace/seed.ts';
import { keepSnapshot, loadSnapshot } from './workspace/snapshot.ts';
import type { Command } from './workspace/types.ts';
import { createWorkspace } from './workspace/workspace.ts';

export type { Driver } from './driver/driver.ts';
export type { PersonDriver } from './driver/person.ts';
export { renderText } from './driver/render-text.ts';
export type { PageHandler } from './server/server.ts';
export type { RecordedCall } from './web-api/dispatch.ts';
export type { Fault } from './web-api/faults.ts';
export { type ManualClock, manualClock, systemClock, type WorkspaceClock } from './workspace/clock.ts';
export { PersonRefusal, SlackRefusal } from './workspace/errors.ts';
export {
  ANA,
  APP_ID,
  BOB,
  BOT_ID,
  BOT_USER,
  CAROL,
  DEFAULT_SCOPES,
  DEFAULT_SUBSCRIPTIONS,
  TEAM,
} from './workspace/seed.ts';
export type { Command, Message, Person, StatusRecord, View } from './workspace/types.ts';

export interface LocalWorkspaceOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** Where messages, files and Homes are kept over a restart; nowhere unless given. */
  readonly dataFile?: string;
  readonly page?: PageHandler;
  readonly clock?: WorkspaceClock;
  readonly botToken?: string;
  readonly appToken?: string;
  readonly signingSecret?: string;
  /** When given, events, interactions and commands are POSTed there instead of going over Socket Mode. */
  readonly eventsUrl?: string;
  readonly scopes?: readonly string[];
  /** Event types that the app gets, as in its manifest: `app_mention`, `message.im`, … */
  readonly subscriptions?: readonly string[];
  readonly commands?: readonly Command[];
  readonly botName?: string;
  /** IANA zone of everybody. */
  readonly tz?: string;
  /**
   * Milliseconds. Acks: 3,000, like Slack's; idle streams: 60,000; how long the driver waits for something
   * before it fails: 10,000.
   */
  readonly timeouts?: {
    readonly ackMs?: number;
    readonly streamIdleMs?: number;
    readonly patienceMs?: number;
  };
  readonly rates?: RateMode;
}

export interface LocalWorkspace {
  readonly url: string;
  /** For `slackApiUrl`; ends in `/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** For people who sign in with Slack. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly driver: Driver;
  /** Where the browsers of those who signed in may be sent back to; nowhere until this is said. */
  setRedirectUrls(urls: readonly string[]): void;
  /** Ends every connection; what has to be kept is written before it resolves. */
  stop(): Promise<void>;
}

/** Starts the local stand-in for Slack. Rejects when the port is taken, and with
 * ConfigError when the data file is not one of its own or `eventsUrl` does not answer the challenge. */
export async function createLocalWorkspace(options: LocalWorkspaceOptions = {}): Promise<LocalWorkspace> {
  const clock = options.clock ?? systemClock;
  const host = options.host ?? '127.0.0.1';
  const ackMs = options.timeouts?.ackMs ?? 3000;
  let url = '';
  const app = {
    appId: APP_ID,
    botId: BOT_ID,
    botUserId: BOT_USER,
    botToken: options.botToken ?? `xoxb-local-${secret()}`,
    appToken: options.appToken ?? `xapp-1-${APP_ID}-${secret()}`,
    signingSecret: options.signingSecret ?? secret(),
    clientId: `${randomInt(1e11)}.${randomInt(1e11)}`,
    clientSecret: secret(),
    verificationToken: secret(),
    scopes: options.scopes ?? DEFAULT_SCOPES,
    subscriptions: options.subscriptions ?? DEFAULT_SUBSCRIPTIONS,
    commands: options.commands ?? [],
  };
  const workspace = createWorkspace({
    app,
    clock,
    botName: options.botName ?? 'Countersign',
    tz: options.tz ?? 'Europe/Berlin',
    baseUrl: () => url,
  });
  if (options.dataFile !== undefined) await loadSnapshot(workspace, options.dataFile);
  const snapshot = options.dataFile === undefined ? undefined : keepSnapshot(workspace, options.dataFile);

  const socketMode = createSocketMode(workspace, ackMs);
  let delivery: Delivery = socketMode;
  const setEventsUrl = async (eventsUrl: string): Promise<void> => {
    const http = createHttpEvents(workspace, eventsUrl, ackMs);
    delivery = http;
    await http.verify();
  };
  const queue = createEventQueue(workspace, () => delivery);
  const triggers = createTriggers(clock, workspace.newId);
  const responseUrls = createResponseUrls(workspace);
  const faults = createFaults();
  const openId = createOpenId(workspace);
  const webApi = createWebApi(
    {
      workspace,
      triggers,
      openSocket: socketMode.openSocket,
      openId,
      uploadUrl: (id) => `${url}/upload/${id}`,
      streamIdleMs: options.timeouts?.streamIdleMs ?? 60_000,
    },
    createRateLimiter(options.rates ?? 'generous', clock),
    faults,
  );
  const patienceMs = options.timeouts?.patienceMs ?? 10_000;
  const gestures: GestureContext = {
    workspace,
    triggers,
    responseUrls,
    queue,
    delivery: () => delivery,
    patienceMs,
  };
  forwardEvents(workspace, queue);

  const server = createWorkspaceServer({
    host,
    workspace,
    webApi,
    socketMode,
    gestures,
    openId,
    page: options.page,
  });
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  url = `http://${host}:${portOf(server.address())}`;
  const stop = async (): Promise<void> => {
    socketMode.close();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await snapshot?.stop();
  };
  if (options.eventsUrl !== undefined) {
    try {
      await setEventsUrl(options.eventsUrl);
    } catch (error) {
      await stop();
      throw new ConfigError(
        `${options.eventsUrl} did not answer the challenge of Slack; the local workspace was not started.`,
        error,
      );
    }
  }

  return {
    url,
    apiUrl: `${url}/api/`,
    botToken: app.botToken,
    appToken: app.appToken,
    signingSecret: app.signingSecret,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    setRedirectUrls: openId.setRedirectUrls,
    driver: createDriver({ gestures, webApi, faults, socketMode, setEventsUrl }),
    stop,
  };
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function secret(): string {
  return randomBytes(16).toString('hex');
}
