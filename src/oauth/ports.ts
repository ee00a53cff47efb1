import type { Actor } from '../gate/types.ts';
import type { Ref } from '../storage/store.ts';

/** What a sign-in page displays about a link before anything happens. */
export interface SignInOffer {
  readonly server: string;
  /** The person who connects. Nobody else may use the link. */
  readonly person: Actor;
  /** The server's host, for people. */
  readonly host: string;
}

/** Why a sign-in failed. Nothing was connected, and waiting calls still wait. */
export type SignInProblem =
  | 'unknown_link'
  | 'expired'
  | 'used'
  | 'other_browser'
  | 'denied'
  /** The authorization server doesn't take this program's id or secret. */
  | 'client_refused'
  | 'setup_required'
  | 'failed';

/** Where a link was offered, so that a page can show the way back. */
export interface SignInOrigin {
  /** The waiting call; null if there's none. */
  readonly callKey: string | null;
  readonly personId: string;
}

/** The result of one step. `origin` is null if it's unknown or the visitor mustn't learn it. */
export type SignInResult<T> =
  | ({ readonly ok: true } & T)
  | {
      readonly ok: false;
      readonly problem: SignInProblem;
      readonly server: string | null;
      readonly origin: SignInOrigin | null;
    };

/** A secret for the browser that starts a sign-in. Each sign-in uses its own cookie name. */
interface BrowserMark {
  readonly name: string;
  readonly value: string;
}

/** The sign-in flow, as our web pages use it. */
export interface SignInPages {
  /** What the link is for. Changes nothing, because programs preview links too. */
  preview(ticket: string): Promise<SignInResult<SignInOffer>>;
  /** Uses up the link. Returns where to go, and the secret that the browser must bring back. */
  begin(ticket: string): Promise<SignInResult<{ readonly url: string; readonly browser: BrowserMark }>>;
  /** Handles the browser's return. */
  finish(back: {
    readonly parameters: URLSearchParams;
    /** The browser's cookie of this name. */
    readonly browser: (name: string) => string | null;
  }): Promise<
    SignInResult<{
      readonly server: string;
      readonly person: Actor;
      /** The account that was signed in with, as people know it; null where that isn't known. */
      readonly account: string | null;
      readonly origin: SignInOrigin;
    }>
  >;
  /** Our client metadata document; null without an https address. */
  clientMetadata(): { readonly [key: string]: unknown } | null;
  /** Whether our pages are served over https. */
  isSecure(): boolean;
  /** How long a link is valid, and the sign-in that it starts, in milliseconds. */
  readonly linkLifetimeMs: number;
}

/** One person's connection to a server that people sign in to. */
export interface PersonalConnection {
  /** The name that people know the sign-in by: the server's, or that of the account that several share. */
  readonly server: string;
  /** The servers that it's for, by their names in the configuration. */
  readonly servers: readonly string[];
  readonly state: 'connected' | 'sign_in_required' | 'setup_required';
  /** Whether an earlier connection broke without being ended: the tokens expired, or no key opens them. */
  readonly isOver: boolean;
  /** When it was connected, in milliseconds since the epoch; null if it isn't. */
  readonly since: number | null;
  /** The account, as people know it; null if it isn't connected, or that isn't known. */
  readonly account: string | null;
  /** The variables that an admin must set first. */
  readonly missing: readonly string[];
  /** Whether the authorization server refused this program's id or secret when somebody last signed in, as far as this process knows. */
  readonly isClientRefused: boolean;
}

/** Somebody's account at a server, without its tokens. */
export interface PersonalAccount {
  readonly server: string;
  readonly person: Actor;
  /** In milliseconds since the epoch. */
  readonly connectedAt: number;
  readonly scope: string | null;
  /** Until when its access token works, in milliseconds since the epoch; null where the server didn't say. */
  readonly expiresAt: number | null;
  /** Whether the server refuses it, and they must connect it again. */
  readonly isRefused: boolean;
}

/** What a connect link is for. */
export interface ConnectLink {
  readonly server: string;
  readonly person: Actor;
  /** The waiting call; null if there's none. */
  readonly callKey: string | null;
  readonly scope?: string | null;
  readonly resourceMetadataUrl?: string | null;
}

/** People's own connections, for surfaces that display them. */
export interface PersonalConnections {
  list(person: Actor): Promise<readonly PersonalConnection[]>;
  /**
   * A link by which this person, and nobody else, connects the server. Valid once, for `linkLifetimeMs`.
   * @throws AppError `setup_required`, `mcp_unknown_server`.
   */
  link(wanted: ConnectLink): Promise<string>;
  /** How long a link is valid, in milliseconds. */
  readonly linkLifetimeMs: number;
  /** Ends the connection and revokes its tokens if possible. `by`: who does it. @default the person themselves */
  disconnect(server: string, person: Actor, by?: Actor): Promise<void>;
}

/** Tool lists kept for servers that people sign in to. */
export interface ToolListRecords {
  /** The address at which somebody saw each server's tools, in the order of `servers`; null if nobody did. */
  addresses(servers: readonly string[]): Promise<readonly (string | null)[]>;
  /** The records to delete in the commit that ends a connection. */
  ofConnection(connectionId: string): readonly Ref[];
}
