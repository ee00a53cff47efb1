import type { Tool } from '@modelcontextprotocol/client';
import type { Actor } from '../../gate/types.ts';
import type { Schedule } from '../../lib/schedule.ts';
import type { OAuth, SignIn } from '../../oauth/index.ts';
import { SignInRequiredError } from '../../oauth/index.ts';
import { createIdleWatch, type IdleWatch } from '../connection/idle-watch.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from '../connection/supervisor.ts';
import type { Connection } from '../connection/types.ts';
import type { ServerStatus } from '../ports.ts';
import type { ToolListCache } from '../tools/list-cache.ts';
import type { ListedTool } from '../tools/redacted.ts';

interface PerUserConnectionsOptions
  extends Omit<SupervisorOptions, 'onSignIn' | 'authProvider' | 'onPageDone'> {
  readonly url: string;
  /** What people sign in to. */
  readonly account: string;
  readonly oauth: Pick<OAuth, 'session' | 'signIn' | 'isConnected' | 'invalidateSignIn'>;
  /** Keeps what the server lists for each person; null if it lists the same for everybody. */
  readonly toolLists: ToolListCache | null;
  /** Called when the server reports that this person has completed the page of this name. */
  readonly onPageDone: (page: string, personId: string) => void;
}

interface PersonConnection {
  readonly link: Supervisor;
  /** The sign-in that the connection uses; null if there was none. */
  readonly signIn: SignIn | null;
  readonly idle: IdleWatch;
  connection: Connection | null;
  cancelCheck: () => void;
}

/** How often a retired connection is checked for calls in flight, in milliseconds. */
const RETIREMENT_CHECK_MS = 1_000;

/**
 * How long a connected person's turn waits for an unknown tool list, in milliseconds. After that the turn
 * goes on without these tools; the connection is still made.
 */
const LIST_WITHIN_MS = 5_000;

/** No retries: a person's connection is made when they use it. */
const NO_RETRY: Schedule = () => () => {};

/** One server's connections, one for each person who uses it. See docs/decisions/0026. */
export class PerUserConnections {
  readonly #options: PerUserConnectionsOptions;
  readonly #current = new Map<string, PersonConnection>();
  /** Connections that take no more calls, and close when those in flight have ended. */
  readonly #retiring = new Set<PersonConnection>();
  /** One attempt at a time for each person, so that nobody gets two connections. */
  readonly #opening = new Map<string, Promise<PersonConnection>>();
  /** People whose list takes longer than {@link LIST_WITHIN_MS} and is still on its way. One turn asks several times. */
  readonly #overdueLists = new Set<string>();

  constructor(options: PerUserConnectionsOptions) {
    this.#options = options;
  }

  /** @throws AppError `mcp_server_down`, `sign_in_required` */
  async acquire(person: Actor) {
    const opened = await this.#open(person);
    const connection = await this.#connect(opened);
    opened.connection = connection;
    opened.idle.used();
    return { link: opened.link, connection, signIn: opened.signIn };
  }

  /**
   * The tools offered to this person. A signed-in person gets what the server lists or last listed for
   * them, and nothing it listed for others; null if unknown. Everybody else gets outlines of what somebody
   * saw, or null if nobody did.
   */
  async tools(person: Actor | undefined): Promise<readonly ListedTool[] | null> {
    const { server, url, account, oauth, toolLists } = this.#options;
    const connectedAt = person ? ((await oauth.signIn(account, person))?.connectedAt ?? null) : null;
    if (person && connectedAt !== null) {
      const own = await this.#ownTools(person, connectedAt);
      if (own !== null) return own.map((tool) => ({ tool, isRedacted: false }));
      if (await oauth.isConnected(account, person)) return null;
    }
    const ofOthers = await toolLists?.latest(server, url);
    return ofOthers?.map((tool) => ({ tool, isRedacted: true })) ?? null;
  }

  /** The tools that are left out of what the server lists for this person now; none while they aren't connected. */
  omitted(personId: string): ServerStatus['omitted'] {
    return this.#current.get(personId)?.link.status().omitted ?? [];
  }

  /** Retires the person's connection, because they have signed in again or signed out. */
  drop(personId: string): void {
    const dropped = this.#current.get(personId);
    this.#current.delete(personId);
    if (dropped) this.#retire(dropped);
  }

  async close(): Promise<void> {
    const all = [...this.#current.values(), ...this.#retiring];
    this.#current.clear();
    this.#retiring.clear();
    for (const { idle, cancelCheck } of all) {
      idle.end();
      cancelCheck();
    }
    await Promise.allSettled(all.map(({ link }) => link.close()));
  }

  /**
   * The person's connection. A new sign-in gets a new one, because the old session belongs to the old
   * sign-in.
   */
  #open(person: Actor): Promise<PersonConnection> {
    const opening =
      this.#opening.get(person.id) ?? this.#openNow(person).finally(() => this.#opening.delete(person.id));
    this.#opening.set(person.id, opening);
    return opening;
  }

  async #openNow(person: Actor): Promise<PersonConnection> {
    const { account, oauth } = this.#options;
    const signIn = await oauth.signIn(account, person);
    const before = this.#current.get(person.id);
    if (before && before.signIn?.connectedAt === signIn?.connectedAt) return before;
    if (before) this.drop(person.id);
    const link = this.#createLink(person, signIn?.connectedAt ?? null);
    const opened: PersonConnection = {
      link,
      signIn,
      idle: createIdleWatch({
        ...this.#options,
        isBusy: link.isBusy,
        awaitsPage: () => opened.connection?.awaitsPage() === true,
        onIdle: () => {
          if (this.#current.get(person.id) === opened) this.drop(person.id);
        },
      }),
      connection: null,
      cancelCheck: () => {},
    };
    this.#current.set(person.id, opened);
    return opened;
  }

  #createLink(person: Actor, connectedAt: number | null): Supervisor {
    const { server, url, account, oauth, toolLists, logger, onPageDone, onToolsChanged } = this.#options;
    const link = createSupervisor({
      ...this.#options,
      ...oauth.session(account, person, connectedAt, this.#options.fetch),
      onRefused: () => oauth.invalidateSignIn(account, person, connectedAt),
      scheduleAttempt: NO_RETRY,
      onPageDone: (page) => onPageDone(page, person.id),
      // The idle watch closes the connection altogether, so that nothing is kept for people who have left.
      idleMs: null,
      onToolsChanged() {
        const tools = link.tools();
        if (!toolLists || link.status().state !== 'up' || connectedAt === null) return onToolsChanged();
        toolLists
          .save(server, url, tools, { personId: person.id, connectedAt })
          .catch((error: unknown) => logger.warn({ server, err: error }, 'failed to save a tool list'))
          .finally(onToolsChanged);
      },
    });
    return link;
  }

  /** Adds the sign-in that was tried, because whoever waits for a new one must know which didn't work. */
  async #connect({ link, signIn }: PersonConnection): Promise<Connection> {
    try {
      return await link.acquire();
    } catch (error) {
      if (!(error instanceof SignInRequiredError)) throw error;
      throw new SignInRequiredError(this.#options.server, error.challenge, signIn?.connectedAt ?? null);
    }
  }

  /** Calls in flight may still be answered; closing now would leave them in doubt. */
  #retire(dropped: PersonConnection): void {
    const { server, logger, schedule } = this.#options;
    dropped.idle.end();
    dropped.cancelCheck();
    if (dropped.link.isBusy()) {
      this.#retiring.add(dropped);
      dropped.cancelCheck = schedule(() => this.#retire(dropped), RETIREMENT_CHECK_MS);
      return;
    }
    this.#retiring.delete(dropped);
    dropped.link
      .close()
      .catch((error: unknown) => logger.warn({ server, err: error }, 'failed to close a connection'));
  }

  /** What the server lists for this person now, or listed last under this sign-in; null if unknown. */
  async #ownTools(person: Actor, connectedAt: number): Promise<readonly Tool[] | null> {
    const { server, url, toolLists } = this.#options;
    const own = this.#current.get(person.id);
    if (own?.signIn?.connectedAt === connectedAt && own.link.status().state === 'up') return own.link.tools();
    const recalled = await toolLists?.latestFor(server, url, { personId: person.id, connectedAt });
    return recalled ?? this.#listNow(person);
  }

  async #listNow(person: Actor): Promise<readonly Tool[] | null> {
    if (this.#overdueLists.has(person.id)) return null;
    const timeout = Promise.withResolvers<null>();
    const cancelTimeout = this.#options.schedule(() => {
      this.#overdueLists.add(person.id);
      timeout.resolve(null);
    }, LIST_WITHIN_MS);
    const listed = this.acquire(person)
      .then(
        ({ link }) => link.tools(),
        () => null,
      )
      .finally(() => {
        cancelTimeout();
        this.#overdueLists.delete(person.id);
      });
    return Promise.race([listed, timeout.promise]);
  }
}
