import type { Socket } from 'node:net';
import type { AuthorizationServerMetadata, FetchLike, Transport } from '@modelcontextprotocol/client';
import type { z } from 'zod';
import type { Actor, CardTemplate, SignedInAccount } from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ToolDefinition } from '../tools/ports.ts';
import type { Protection } from './config/sandbox.ts';

export interface ServerStatus {
  readonly name: string;
  readonly transport: 'stdio' | 'http' | 'in_process';
  /** How its process is kept away from ours; null if it's none, or hasn't been started. */
  readonly protection: Protection | null;
  /**
   * State of the connection.
   *
   * - `connecting`: the first attempt, or the first one after a connection was lost. If that fails, it's
   *   `down`.
   * - `idle`: nobody has used it for a while, or yet. A call connects it; `toolCount` is from the last list.
   * - `sign_in_required`: each person connects with their own account.
   * - `setup_required`: nobody can connect yet, because settings are missing.
   */
  readonly state: 'connecting' | 'up' | 'idle' | 'down' | 'sign_in_required' | 'setup_required';
  /** Why it's down or what is missing, for people. */
  readonly error: string | null;
  /** What it says of itself when it's connected, such as "1.2.0"; absent before that, and where people connect it themselves. */
  readonly version?: string;
  readonly toolCount: number;
  /** The tools that it lists and that can't be used. Empty if each person connects with their own account. */
  readonly omitted: readonly OmittedTool[];
}

/** A tool that a server lists and that is offered to nobody. */
export interface OmittedTool {
  readonly name: string;
  /** Why, completing "it …". */
  readonly why: string;
}

/** The tools of all connected servers. */
export interface ToolHub {
  /** Connects every configured server. One that fails is `down` and retried later. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * The tools offered to a person, with unique names. Servers with a shared connection contribute their tools
   * while they're up; servers that people sign in to contribute what they list for this person. If the person
   * hasn't signed in, or there's no person, the latter are outlines of what somebody else saw: names and
   * kinds of arguments, without any text of the server's. See docs/decisions/0030.
   */
  tools(person?: Actor): Promise<readonly ToolDefinition[]>;
  /** With a person, the tools that are left out also at servers that they sign in to: each has a list of their own. */
  status(personId?: string): readonly ServerStatus[];
}

/** A server that runs in this process; the SDK's `McpServer` is one. */
export interface InProcessServer {
  connect(transport: Transport): Promise<void>;
}

/** Where a connector's service is reached, and as which client. */
interface ServiceAddress {
  readonly apiUrl: string;
  /** Where people sign in, if the operator hosts it; null for the service's own. */
  readonly signInUrl: string | null;
  /** The id under which the operator registered this program there. */
  readonly clientId: string;
}

/** How people sign in to a connector's service: OAuth 2.0 with a client that the operator registered there. */
interface ConnectorSignIn {
  /** What several connectors share one sign-in by, as people call it; null if it's this connector's alone. */
  readonly account: string | null;
  /** What the connector's tools need. */
  readonly scopes: readonly string[];
  /** The authorization server. Its `issuer` is what the service says of itself when people return (RFC 9207). */
  readonly authorizationServer: (at: ServiceAddress) => AuthorizationServerMetadata;
  /** Whether revoking one token can end all of a person's sign-ins with the same client. */
  readonly revokesAll: boolean;
  /**
   * Asks the service whose account somebody has signed in with, by what its scopes allow anyway. Left out, or where it
   * rejects, cards and Home don't name it.
   */
  readonly identify?: (service: Pick<Service, 'fetch' | 'apiUrl'>) => Promise<SignedInAccount>;
}

/**
 * A `fetch` of a connector's service. What a request means for the call in progress is settled here, whatever the
 * tool makes of it: a missing sign-in, a refusal for a while, a write whose answer was lost.
 * `isRead` marks a request that only reads, although its method isn't GET.
 */
export type ServiceFetch = (
  url: string | URL,
  init?: RequestInit & { readonly isRead?: boolean },
) => Promise<Response>;

/** The kinds of documents that have a text, by the ends of their names. */
type DocumentEnd = '.pdf' | '.docx' | '.xlsx' | '.pptx';

/** Reads a document's text, away from this process, or says why it has none that can be read, completing "it …". */
export type ReadDocument = (
  end: DocumentEnd,
  content: Buffer,
) => Promise<{ readonly text: string } | { readonly problem: string }>;

/** What a connector's server is made of. Over one connection, all requests are one person's, or the operator's. */
export interface Service {
  readonly fetch: ServiceFetch;
  readonly apiUrl: string;
  /** The operator's key; null where people sign in. */
  readonly key: string | null;
  /** Where the service is to tell of what is new, as the operator says; null if nowhere. */
  readonly topic: string | null;
  readonly readDocument: ReadDocument;
}

/** By what is known who sends requests that say there is something new: tokens for an audience, and of an account. */
export interface PushSender extends Pick<ServiceAddress, 'signInUrl'> {
  readonly audience: string;
  readonly serviceAccount: string;
  /** Asks for the keys that tokens are signed with, within the network that is allowed. */
  readonly fetch: FetchLike;
}

/** In which account there is something new, by the id that `identify` gives, null if it names none; or the status to refuse it with. */
export type Pushed = { readonly account: string | null } | { readonly status: 401 | 413 | 503 };

/**
 * A connection of a mailbox's. What the exchange means for the call in progress is settled by how it ends, as
 * {@link ServiceFetch} does it: one that fails did nothing, and may be tried again, unless it `mayBeDone`.
 */
export interface Exchange {
  /** Opens the connection, within what the configuration allows; certificates are verified. @throws AppError if it may not go there */
  readonly open: () => Socket;
  /** Aborted when the call is over, or the server takes too long. */
  readonly signal: AbortSignal;
  /** From now on it isn't known whether what is written is done, until the exchange ends well. */
  readonly mayBeDone: () => void;
}

/** A mailbox as the configuration has it, with connections to its servers. */
export interface MailboxService {
  readonly address: string;
  /** Null if mails are sent with the address alone. */
  readonly name: string | null;
  readonly user: string;
  readonly password: string;
  /** The folder of deleted mails, if the operator says which it is. */
  readonly trash: string | null;
  readonly imap: MailServer;
  readonly smtp: MailServer;
  readonly readDocument: ReadDocument;
  /**
   * Rejects with ToolProblem if `run` does, for what a server refused; else with ServiceError if the server can't be reached, hangs or
   * hangs up.
   * @param isWrite whether something is written when it ends well
   */
  readonly exchange: <T>(
    server: MailServer,
    run: (exchange: Exchange) => Promise<T>,
    options?: { readonly isWrite?: boolean },
  ) => Promise<T>;
}

/** Where a server of a mailbox is. */
export interface MailServer {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
}

/** What connectors say besides how their service is asked. */
interface ConnectorLooks {
  /** How the cards of its tools read, by their names; companion tools are its own. What the operator says of one takes its place. */
  readonly cards?: Readonly<Record<string, ConnectorCard>>;
  /**
   * The arguments of tools, by the tools' names, which can say more than their JSON Schemas do: that an end is before its start, or
   * what a pattern means. What doesn't fit is refused before anybody is asked, with the messages that they have of their own.
   */
  readonly inputs?: Readonly<Record<string, z.ZodType>>;
  /** What runs can begin with, by their names: see docs/schedules.md. */
  readonly triggers?: Readonly<Record<string, ConnectorTrigger>>;
}

/** A connector whose service is a mailbox of the configuration's, and no API. */
export interface MailboxConnector extends ConnectorLooks {
  readonly createMailbox: (service: MailboxService) => Promise<InProcessServer>;
}

/** A connector: the tools of a service that has no MCP server, as a server in this process. See docs/connectors.md. */
export interface Connector extends ConnectorLooks {
  /** Where the service's API answers, unless the configuration says otherwise. */
  readonly apiUrl: string;
  /** Null for a service that the operator has a key for. */
  readonly signIn: ConnectorSignIn | null;
  /**
   * Makes answers say what HTTP and OAuth have them say, where the service's differ: 401 for a token that's over, 403
   * with `insufficient_scope`, 429 with `Retry-After`, 4xx for what wasn't done. Sees all requests, those of a
   * sign-in too.
   */
  readonly adapt: (fetch: FetchLike) => FetchLike;
  readonly createServer: (service: Service) => InProcessServer;
  /** Reads requests with which the service says that there is something new, and which anybody can send. Never rejects. */
  readonly createPushReader?: (sender: PushSender) => (request: Request) => Promise<Pushed>;
}

/** An event of a service that a run can begin with. Words and arguments name what people fill in: `{repository}`. */
export interface ConnectorTrigger {
  /** What is typed after "when", the usual way first: "an issue is opened in {repository}". */
  readonly words: readonly [string, ...string[]];
  /** What people fill in: what it has to match as a whole, and an example. */
  readonly parts: Readonly<Record<string, { readonly matches: RegExp; readonly example: string }>>;
  /** The reading tool that lists what there is, the newest first, and its arguments. */
  readonly list: { readonly tool: string; readonly arguments: JsonObject };
  /**
   * Where in its structured answer the list is, and in each of the list its id, and since when it is there, by the
   * service's clock (ISO 8601).
   */
  readonly things: { readonly in: string; readonly id: string; readonly since: string };
  /** The tool that reads one, and its arguments; `{id}` is the id. */
  readonly read: { readonly tool: string; readonly arguments: Readonly<Record<string, string>> };
}

type Companion = Omit<NonNullable<CardTemplate['lookUp']>, 'server'>;

/** How a card of a connector's tool reads: as in `cards:`, where the server goes without saying. */
interface ConnectorCard {
  readonly title?: string[];
  readonly lookUp?: Companion;
  readonly undo?: Omit<NonNullable<CardTemplate['undo']>, 'server'>;
}

/** The connectors that are configured, by their names. */
export type Connectors = ReadonlyMap<string, Connector | MailboxConnector>;

/** A prompt of a server, as people choose it. All texts are the server's. */
export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string | null;
    readonly required: boolean;
  }[];
}

/** The servers' prompts, for people to use. */
export interface ServerPrompts {
  /**
   * The prompts that this person may use, over their own connections where people sign in. Those of servers
   * that are down, that the person hasn't connected, or that don't answer within 5 seconds are left out.
   */
  list(person: Actor): Promise<readonly ServerPrompt[]>;
  /** @throws AppError if there is no such prompt, it isn't allowed, or the server can't be asked. */
  find(server: string, name: string, person: Actor): Promise<ServerPrompt>;
  /**
   * A prompt's messages as one text, filled in with these arguments; at most 10,000 characters.
   * @throws AppError if it isn't allowed, is too long or empty, or can't be had.
   */
  text(
    prompt: Pick<ServerPrompt, 'server' | 'name'>,
    args: Readonly<Record<string, string>>,
    person: Actor,
  ): Promise<string>;
}

/** A tool definition that waits for a review: held, or of a new tool. */
export interface HeldTool {
  readonly name: string;
  /** Hash of the definition that waits. */
  readonly hash: string;
  /** Whether no definition of this name was ever reviewed. */
  readonly isNew: boolean;
  /** Whether it's in use meanwhile, although no wildcard of the policy allows it. Absent if it's held. */
  readonly isUsed?: boolean;
  /** Position among several waiting definitions of the tool, such as `1 of 2`. Absent if there's only one. */
  readonly variant?: string;
  /** The changed lines, or all lines of a new tool, with invisible characters made visible. */
  readonly changes: readonly string[];
}

/** The tools of one server that wait for a review. */
export interface HeldTools {
  readonly server: string;
  readonly tools: readonly HeldTool[];
}

/** Tool reviews, as admins see and accept them. */
export interface ReviewTools {
  held(): Promise<readonly HeldTools[]>;
  /**
   * Accepts waiting definitions by their hashes, so that nothing is accepted that wasn't displayed. Returns
   * the names of their tools.
   * @throws AppError `nothing_to_review` if none of them waits any more.
   */
  accept(server: string, hashes: readonly string[], by: Actor): Promise<readonly string[]>;
}
