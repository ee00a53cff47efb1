import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { AGENT_NAMES, type AgentName } from '../../runs/ports.ts';
import { collection, put, type Store } from '../../storage/store.ts';
import type { Directory } from './directory.ts';

/** The agent that people chose for new conversations of a channel or direct message, by its id. */
const chosenAgents = collection({
  name: 'slack_agents',
  schema: z.object({ agent: z.enum(AGENT_NAMES), at: z.number() }),
  indexes: {},
});

/** How long another process may not have heard of a choice, in milliseconds, and how many channels are kept in mind. */
const FRESH_MS = 10_000;
const MOST_KNOWN = 1_000;

interface AgentChoicePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly directory: Pick<Directory, 'channelName'>;
  /** The operator's agents, by a channel's id or name, or `dm`. */
  readonly routes: Readonly<Record<string, AgentName>>;
}

/** A channel or direct message, as events and commands name it. */
interface Place {
  readonly channel: string;
  readonly isDm: boolean;
}

/** Which agent answers new conversations where: what people chose there, or else what the operator says. */
export class AgentChoice {
  readonly #ports: AgentChoicePorts;
  readonly #byName: ReadonlyMap<string, AgentName>;
  readonly #chosen: LRUCache<string, { readonly agent: AgentName | null }>;

  constructor(ports: AgentChoicePorts) {
    this.#ports = ports;
    this.#byName = new Map(Object.entries(ports.routes).map(([where, agent]) => [plainName(where), agent]));
    this.#chosen = new LRUCache({
      max: MOST_KNOWN,
      ttl: FRESH_MS,
      ttlResolution: 0,
      perf: { now: ports.clock },
    });
  }

  /** The agent of a conversation that begins here now. */
  async find(place: Place): Promise<AgentName> {
    return (await this.#chosenIn(place.channel)) ?? (await this.#route(place)) ?? AGENT_NAMES[0];
  }

  /** Has `agent` answer the conversations that begin here from now on. */
  async choose(channel: string, agent: AgentName): Promise<void> {
    const { store, clock } = this.#ports;
    await store.commit({ put: [put(chosenAgents, channel, { agent, at: clock() })] });
    this.#chosen.set(channel, { agent });
  }

  async #chosenIn(channel: string): Promise<AgentName | null> {
    const known = this.#chosen.get(channel);
    if (known) return known.agent;
    const agent = (await this.#ports.store.get(chosenAgents, channel))?.value.agent ?? null;
    this.#chosen.set(channel, { agent });
    return agent;
  }

  async #route({ channel, isDm }: Place): Promise<AgentName | null> {
    if (this.#byName.size === 0) return null;
    if (isDm) return this.#byName.get('dm') ?? null;
    const byId = this.#byName.get(plainName(channel));
    if (byId) return byId;
    const name = await this.#ports.directory.channelName(channel);
    return (name === null ? null : this.#byName.get(plainName(name))) ?? null;
  }
}

/** Slack's names of channels are in lower case: https://docs.slack.dev/reference/methods/conversations.rename */
function plainName(where: string): string {
  return where.replace(/^#/, '').toLowerCase();
}
