import type { JsonObject } from '../../lib/json.ts';
import type { Reach } from '../../lib/net/guarded-address.ts';
import type { SendEnded } from '../ports.ts';

/** An agent that is another program, reached over the network. */
export interface ForeignAgent {
  readonly name: string;
  readonly description: string;
  /** `agent_input`: it takes an AgentInput and answers with an AgentOutput. */
  readonly protocol: 'agent_input' | 'a2a';
  /** Where it takes its task; for A2A, its card or where that lies under. */
  readonly url: string;
  /** Sent with every request, and to the address's own origin alone. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reach: Reach;
  /** How long it may take to answer, in milliseconds; null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** What is wrong with an answer's form; null where nothing is. */
  readonly findProblem: (answer: JsonObject) => string | null;
}

/** One task on its way. */
interface Giving {
  readonly task: JsonObject;
  /** The same for each attempt of one call, and nothing that can be read. */
  readonly messageId: string;
  /** Aborted when it's stopped, and when its time is over. */
  readonly signal: AbortSignal;
}

export type Give = (giving: Giving) => Promise<SendEnded>;

/** The largest answer, in bytes: some 300 pages. */
export const MOST_BYTES = 1_000_000;
