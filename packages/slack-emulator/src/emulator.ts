import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Delivery } from './delivery/delivery.ts';
import { createEventQueue } from './delivery/event-queue.ts';
import { forwardEvents } from './delivery/events.ts';
import { createHttpEvents } from './delivery/http-events.ts';
import { createSocketMode } from './delivery/socket-mode.ts';
import { createDriver, type Driver } from './driver/driver.ts';
import { EmulatorConfigError } from './errors.ts';
import type { InteractionContext } from './interactions/context.ts';
import { createResponseUrls } from './interactions/response-urls.ts';
import { createTriggers } from './interactions/triggers.ts';
import type { PageHandler } from './server/page-assets.ts';
import { createWorkspaceServer } from './server/server.ts';
import { createWebApi } from './web-api/dispatch.ts';
import { createFaults } from './web-api/faults.ts';
import { createRateLimiter, type RateMode } from './web-api/rates.ts';
import { systemClock, type WorkspaceClock } from './workspace/clock.ts';
import { createOpenId } from './workspace/open-id.ts';
import { APP_ID, BOT_ID, BOT_USER, DEFAULT_SCOPES, DEFAULT_SUBSCRIPTIONS } from './workspace/seed.ts';
import { keepSnapshot, loadSnapshot } from './workspace/snapshot.ts';
import type { AppIdentity, Command, PageTexts } from './workspace/types.ts';
import { createWorkspace } from './workspace/workspace.ts';

export interface SlackEmulatorOptions {
  /** @default 0, which takes any free port */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** A file that keeps messages, files, Homes and undelivered events over a restart. Without it nothing is kept. */
  readonly dataFile?: string;
  /** Serves the web page where people use the workspace, such as {@link pageHandler}; without it there is none. */
  readonly page?: PageHandler;
  /** @default the system's clock */
  readonly clock?: WorkspaceClock;
  /** Tokens and secrets are random unless given. */
  readonly botToken?: string;
  readonly appToken?: string;
  readonly signingSecret?: string;
  /** Where events, interactions and commands are POSTed. Without it they go over Socket Mode. */
  readonly eventsUrl?: string;
  /** The scopes of the bot token. Methods that need another one answer `missing_scope`. */
  readonly scopes?: readonly string[];
  /** Event types that the app gets, as in its manifest: `app_mention`, `message.im`, … */
  readonly subscriptions?: readonly string[];
  /** Whether a mention in a group DM also comes as `app_mention`: both are seen of Slack. @default true */
  readonly groupMentions?: boolean;
  readonly commands?: readonly Command[];
  /** @default 'App' */
  readonly botName?: string;
  /**
   * Names of public channels besides `general`, `ops` and `random`; the app is in them. Small letters and digits.
   * @default none
   */
  readonly channels?: readonly string[];
  /** What the page says of the app. */
  readonly pageTexts?: Partial<PageTexts>;
  /** IANA time zone of everybody. @default 'Europe/Berlin' */
  readonly tz?: string;
  /** In milliseconds. */
  readonly timeouts?: {
    /** How long the app may take to acknowledge. @default 3000, as Slack's */
    readonly ackMs?: number;
    /** How long a stream may stand idle before Slack ends it. @default 60_000 */
    readonly streamIdleMs?: number;
    /** How long the driver waits for something before it fails. @default 10_000 */
    readonly waitMs?: number;
  };
  /** Rate limits: `strict` are Slack's own, `generous` ten times as many, `off` none. @default 'generous' */
  readonly rates?: RateMode;
  /** Web API methods that the workspace doesn't have yet, or not any more: they answer `unknown_method`. */
  readonly missingMethods?: readonly string[];
}

/** A running emulator: what the app under test connects to, and the driver that acts for people. */
export interface SlackEmulator {
  readonly url: string;
  /** The base address of the Web API, for `slackApiUrl`; ends in `/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  /** For `apps.manifest.validate`. */
  readonly configurationToken: string;
  readonly signingSecret: string;
  /** The OpenID Connect client of the app (Sign in with Slack). */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly driver: Driver;
  /** Sets the addresses that a sign-in may return to. @default none */
  setRedirectUrls(urls: readonly string[]): void;
  /** Sets what the page says above everything, each as a sentence or two. @default nothing */
  setNotices(notices: readonly string[]): void;
  /** Closes every connection. Resolves when `dataFile` is written. */
  stop(): Promise<void>;
}

/**
 * Starts a Slack emulator. Rejects with the system's error when it can't listen (`EADDRINUSE`, …), and with
 * {@link EmulatorConfigError} when `dataFile` is no snapshot or `eventsUrl` doesn't answer Slack's challenge.
 */
export async function startSlackEmulator(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  const clock = options.clock ?? systemClock;
  const host = options.host ?? '127.0.0.1';
  const ackMs = options.timeouts?.ackMs ?? 3000;
  const botName = options.botName ?? 'App';
  const app = createAppIdentity(botName, options);
  let url = '';
  const workspace = createWorkspace({
    app,
    clock,
    botName,
    tz: options.tz ?? 'Europe/Berlin',
    channels: options.channels ?? [],
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
      missingMethods: options.missingMethods ?? [],
      saved: async () => snapshot?.save(),
    },
    createRateLimiter(options.rates ?? 'generous', clock),
    faults,
  );
  const interactions: InteractionContext = {
    workspace,
    triggers,
    responseUrls: createResponseUrls(workspace),
    queue,
    delivery: () => delivery,
    waitMs: options.timeouts?.waitMs ?? 10_000,
  };
  forwardEvents(workspace, queue);

  const page = options.page;
  const server = createWorkspaceServer({ host, workspace, webApi, socketMode, interactions, openId, page });
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  url = `http://${host}:${listeningPort(server.address())}`;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    await socketMode.close();
    server.closeAllConnections();
    await closed;
    await snapshot?.stop();
  };
  if (options.eventsUrl !== undefined) {
    await setEventsUrl(options.eventsUrl).catch(async (error: unknown) => {
      await stop();
      throw new EmulatorConfigError(
        `${options.eventsUrl} did not answer Slack's challenge, so the emulator was not started.`,
        error,
      );
    });
  }

  return {
    url,
    apiUrl: `${url}/api/`,
    botToken: app.botToken,
    appToken: app.appToken,
    configurationToken: app.configurationToken,
    signingSecret: app.signingSecret,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    setRedirectUrls: openId.setRedirectUrls,
    setNotices(notices) {
      workspace.notices = notices;
      workspace.emit({ type: 'notices' });
    },
    driver: createDriver({ interactions, webApi, faults, socketMode, setEventsUrl }),
    stop,
  };
}

/** The app under test as Slack knows it: its ids, tokens, scopes and subscriptions. */
function createAppIdentity(botName: string, options: SlackEmulatorOptions): AppIdentity {
  return {
    appId: APP_ID,
    botId: BOT_ID,
    botUserId: BOT_USER,
    botToken: options.botToken ?? `xoxb-local-${secret()}`,
    appToken: options.appToken ?? `xapp-1-${APP_ID}-${secret()}`,
    configurationToken: `xoxe.xoxp-1-${secret()}`,
    signingSecret: options.signingSecret ?? secret(),
    clientId: `${randomInt(1e11)}.${randomInt(1e11)}`,
    clientSecret: secret(),
    verificationToken: secret(),
    scopes: options.scopes ?? DEFAULT_SCOPES,
    subscriptions: options.subscriptions ?? DEFAULT_SUBSCRIPTIONS,
    groupMentions: options.groupMentions ?? true,
    commands: options.commands ?? [],
    pageTexts: {
      title: botName,
      welcome: `Write to ${botName} as you would in Slack.`,
      examples: [],
      examplesIn: {},
      links: [],
      about: `${botName} is connected to this workspace on your own machine, to be tried out.`,
      ...options.pageTexts,
    },
  };
}

function listeningPort(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function secret(): string {
  return randomBytes(16).toString('hex');
}
