import type { Tool } from '@modelcontextprotocol/client';
import type { Actor } from '../../gate/types.ts';
import type { Schedule } from '../../lib/schedule.ts';
import type { OAuth } from '../../oauth/index.ts';
import { SignInRequiredError } from '../../oauth/index.ts';
import { createIdleWatch, type IdleWatch } from '../connection/idle-watch.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from '../connection/supervisor.ts';
import type { Connection } from '../connection/types.ts';
import type { ToolListCache } from '../tools/list-cache.ts';
import type { ListedTool } from '../tools/redacted.ts';

export interface PerUserConnectionsOptions
  extends Omit<SupervisorOptions, 'onSignIn' | 'authProvider' | 'fetch' | 'onPageDone'> {
  readonly url: string;
  readonly oauth: Pick<OAuth, 'session' | 'connectedAt' | 'isConnected' | 'refuse'>;
  readonly toolLists: ToolListCache;
  /** Called when the server reports that this person has completed the page of this name. */
  readonly onPageDone: (page: string, personId: string) => void;
}

interface PersonConnection {
  readonly link: Supervisor;
  /** When the sign-in was made that the connection uses. */
  readonly connectedAt: number | null;
  readonly idle: IdleWatch;
  connection: Connection | null;
  callOffLook: () => void;
}

/** How often a retired connection is checked for calls in flight, in milliseconds. */
const RETIRING_LOOK_MS = 1_000;

/**
 * How long a connected person's turn waits for an unknown tool list, in milliseconds. After that the turn
 * goes on without these tools; the connection is still made.
 */
const LIST_WITHIN_MS = 5_000;

/** No retries: a person's connection is made when they use it. */
const NO_RETRY: Schedule = () => () => {};

/** One server's connections, one for each person who uses it. See docs/decisions/0026. */
export function createPerUserConnections(options: PerUserConnectionsOptions) {
  const { server, url, oauth, toolLists, logger } = options;
  const links = new Map<string, PersonConnection>();
  /** Connections that take no more calls, and close when those in flight have ended. */
  const retiring = new Set<PersonConnection>();
  /** One attempt at a time for each person, so that nobody gets two connections. */
  const making = new Map<string, Promise<PersonConnection>>();
  /** People whose list came too late and is still on its way. One turn asks several times. */
  const late = new Set<string>();

  /**
   * The person's connection. A new sign-in gets a new one, because the old session belongs to the old
   * sign-in.
   */
  function openConnection(person: Actor): Promise<PersonConnection> {
    const due = making.get(person.id) ?? make(person).finally(() => making.delete(person.id));
    making.set(person.id, due);
    return due;
  }

  async function make(person: Actor): Promise<PersonConnection> {
    const connectedAt = await oauth.connectedAt(server, person);
    const held = links.get(person.id);
    if (held && held.connectedAt === connectedAt) return held;
    if (held) drop(person.id);
    const session = oauth.session(server, person);
    const link = createSupervisor({
      ...options,
      ...session,
      onRefused: () => oauth.refuse(server, person, connectedAt),
      scheduleAttempt: NO_RETRY,
      onPageDone: (page) => options.onPageDone(page, person.id),
      // The idle watch below closes the connection altogether, so that nothing is kept for people who have
      // left.
      idleMs: null,
      onToolsChanged() {
        const tools = link.tools();
        if (link.status().state !== 'up' || connectedAt === null) return options.onToolsChanged();
        toolLists
          .save(server, url, tools, { personId: person.id, connectedAt })
          .catch((error: unknown) => logger.warn({ server, err: error }, 'tools could not be kept'))
          .finally(options.onToolsChanged);
      },
    });
    const made: PersonConnection = {
      link,
      connectedAt,
      idle: createIdleWatch({
        ...options,
        isBusy: link.isBusy,
        awaitsPage: () => made.connection?.awaitsPage() === true,
        onIdle() {
          if (links.get(person.id) === made) drop(person.id);
        },
      }),
      connection: null,
      callOffLook: () => {},
    };
    links.set(person.id, made);
    return made;
  }

  function drop(personId: string): void {
    const held = links.get(personId);
    links.delete(personId);
    if (held) retire(held);
  }

  /** Calls in flight may still be answered; closing now would leave them in doubt. */
  function retire(held: PersonConnection): void {
    held.idle.end();
    held.callOffLook();
    if (held.link.isBusy()) {
      retiring.add(held);
      held.callOffLook = options.schedule(() => retire(held), RETIRING_LOOK_MS);
      return;
    }
    retiring.delete(held);
    held.link
      .close()
      .catch((error: unknown) => logger.warn({ server, err: error }, 'a connection did not end'));
  }

  async function acquire(person: Actor) {
    const held = await openConnection(person);
    const connection = await connected(held);
    held.connection = connection;
    held.idle.used();
    return { link: held.link, connection, signedInAt: held.connectedAt };
  }

  /** Adds the sign-in that was tried, because whoever waits for a new one must know which didn't work. */
  async function connected({ link, connectedAt }: PersonConnection): Promise<Connection> {
    try {
      return await link.acquire();
    } catch (error) {
      if (!(error instanceof SignInRequiredError)) throw error;
      throw new SignInRequiredError(server, error.challenge, connectedAt);
    }
  }

  /** What the server lists for this person now, or listed last under this sign-in; null if unknown. */
  async function ownTools(person: Actor, connectedAt: number): Promise<readonly Tool[] | null> {
    const held = links.get(person.id);
    if (held?.connectedAt === connectedAt && held.link.status().state === 'up') return held.link.tools();
    const recalled = await toolLists.latestFor(server, url, { personId: person.id, connectedAt });
    return recalled ?? listNow(person);
  }

  async function listNow(person: Actor): Promise<readonly Tool[] | null> {
    if (late.has(person.id)) return null;
    const tooLate = Promise.withResolvers<null>();
    const callOff = options.schedule(() => {
      late.add(person.id);
      tooLate.resolve(null);
    }, LIST_WITHIN_MS);
    const listed = acquire(person)
      .then(
        ({ link }) => link.tools(),
        () => null,
      )
      .finally(() => {
        callOff();
        late.delete(person.id);
      });
    return Promise.race([listed, tooLate.promise]);
  }

  return {
    /** @throws AppError `mcp_server_down`, `sign_in_required` */
    acquire,

    /**
     * The tools offered to this person. A signed-in person gets what the server lists or last listed for
     * them, and nothing it listed for others; null if unknown. Everybody else gets outlines of what somebody
     * saw, or null if nobody did.
     */
    async tools(person: Actor | undefined): Promise<readonly ListedTool[] | null> {
      const connectedAt = person ? await oauth.connectedAt(server, person) : null;
      if (person && connectedAt !== null) {
        const own = await ownTools(person, connectedAt);
        if (own !== null) return own.map((tool) => ({ tool, isRedacted: false }));
        if (await oauth.isConnected(server, person)) return null;
      }
      const ofOthers = await toolLists.latest(server, url);
      return ofOthers?.map((tool) => ({ tool, isRedacted: true })) ?? null;
    },

    /** Retires the person's connection, because they have signed in again or signed out. */
    drop,
    async close(): Promise<void> {
      const all = [...links.values(), ...retiring];
      links.clear();
      retiring.clear();
      for (const { idle, callOffLook } of all) {
        idle.end();
        callOffLook();
      }
      await Promise.allSettled(all.map(({ link }) => link.close()));
    },
  };
}

export type PerUserConnections = ReturnType<typeof createPerUserConnections>;
