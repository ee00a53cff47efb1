import type { Actor } from '../gate/types.ts';
import type { Ref } from '../storage/store.ts';

/** What a person's browser is told of a link of ours, before anything is done. */
export interface SignInOffer {
  readonly server: string;
  /** For whom the connection is made: nobody else may use the link. */
  readonly person: Actor;
  /** Where the server is, for people. */
  readonly host: string;
}

/** Why a sign-in did not come about; nothing was connected, and what waits for it waits still. */
export type SignInProblem =
  | 'unknown_link'
  | 'expired'
  | 'used'
  | 'other_browser'
  | 'denied'
  | 'setup_required'
  | 'failed';

/** What a link was made for: whoever comes to a page of ours by it is shown the way back there. */
export interface SignInOrigin {
  /** Null where no call waited for it. */
  readonly callKey: string | null;
  readonly personId: string;
}

/** What came of a step of a sign-in. `origin` is null where that is not known, or nothing for whoever comes. */
export type SignInResult<T> =
  | ({ readonly ok: true } & T)
  | {
      readonly ok: false;
      readonly problem: SignInProblem;
      readonly server: string | null;
      readonly origin: SignInOrigin | null;
    };

/** What a browser is given when a sign-in begins in it; each sign-in has its own name for it. */
export interface BrowserMark {
  readonly name: string;
  readonly value: string;
}

/** The sign-ins to servers, as the pages of ours know them. */
export interface SignInPages {
  /** What the link is for. Changes nothing: programs look at links too. */
  preview(ticket: string): Promise<SignInResult<SignInOffer>>;
  /** Uses the link up; gives where to go, and what the browser must bring along when it comes back. */
  begin(ticket: string): Promise<SignInResult<{ readonly url: string; readonly browser: BrowserMark }>>;
  /** The browser is back. */
  finish(back: {
    readonly parameters: URLSearchParams;
    /** What the browser brought along under this name. */
    readonly browser: (name: string) => string | null;
  }): Promise<
    SignInResult<{ readonly server: string; readonly person: Actor; readonly origin: SignInOrigin }>
  >;
  /** What authorization servers read of us; null where this program has no https address. */
  clientMetadata(): { readonly [key: string]: unknown } | null;
  /** Whether our pages are reached by https. */
  isSecure(): boolean;
}

/** A server that everybody signs in to, as it stands with one person. */
export interface PersonalConnection {
  readonly server: string;
  readonly state: 'connected' | 'sign_in_required' | 'setup_required';
  /** It was connected, and is not any more although nobody ended it: the tokens are over, or no key opens them. */
  readonly isOver?: boolean;
  /** When it was connected, in milliseconds since the epoch; null where it is not. */
  readonly since: number | null;
  /** The variables that an admin has to set first. */
  readonly missing: readonly string[];
}

/** What a link to connect a server is for. */
export interface ConnectLink {
  readonly server: string;
  readonly person: Actor;
  /** The call that waits for it; null where none does. */
  readonly callKey: string | null;
  readonly scope?: string | null;
  readonly resourceMetadataUrl?: string | null;
}

/** People's own connections, for surfaces that show them. */
export interface PersonalConnections {
  list(person: Actor): Promise<readonly PersonalConnection[]>;
  /**
   * A link of ours by which this person, and nobody else, connects the server: for one use, within ten minutes.
   * @throws AppError `setup_required`, `mcp_unknown_server`.
   */
  link(wanted: ConnectLink): Promise<string>;
  /** Ends the connection, and has the authorization server forget its tokens where that is possible. */
  disconnect(server: string, person: Actor): Promise<void>;
}

/** What the tool side keeps of servers that people sign in to. */
export interface ToolListRecords {
  /** The address at which somebody saw each server's tools, in the order of the names; null where nobody did. */
  addresses(servers: readonly string[]): Promise<readonly (string | null)[]>;
  /** The records that end with a connection, to be deleted in the same commit. */
  ofConnection(connectionId: string): readonly Ref[];
}
