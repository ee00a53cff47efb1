import type { CallRecord } from '../gate/types.ts';

/** One argument, in the words that a card has for it. */
export interface SheetRow {
  readonly label: string;
  readonly value: string;
  /** The value as it is sent, where `value` says it in other words; else null. */
  readonly raw: string | null;
  /** Every character matters. */
  readonly exact: boolean;
  /** What the server gave earlier of it; null where nothing is known. */
  readonly note: string | null;
}

/** A value that must be typed to approve; `expected` is null where the call has none, and nobody can. */
export interface TypedValue {
  readonly argument: string;
  readonly label: string;
  readonly expected: string | null;
}

/** All that people see of a call, in plain words; hidden characters are visible in every text. */
export interface DecisionSheet {
  readonly call: CallRecord;
  readonly title: string;
  /** The call in one line. */
  readonly summary: string;
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly requester: string;
  /** "Ana decides". */
  readonly approvers: string;
  /** "1 of 2 approved: Bob"; null where one person's word is enough. */
  readonly progress: string | null;
  /** Null: without an end. */
  readonly until: string | null;
  readonly rows: readonly SheetRow[];
  /** Where the notes beside arguments come from; null where there is none. */
  readonly source: string | null;
  readonly warnings: readonly string[];
  readonly rule: string;
  readonly reason: string | null;
  /** How it stands, in one line. */
  readonly state: string;
  readonly typed: readonly TypedValue[];
}
