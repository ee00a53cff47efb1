import type { CallRecord } from '../gate/types.ts';

/** One argument, with the same text as on a card. */
export interface SheetRow {
  readonly label: string;
  readonly value: string;
  /** The value as it is sent, where `value` is formatted differently; else null. */
  readonly raw: string | null;
  /** Every character matters, so it is shown monospaced. */
  readonly exact: boolean;
  /** It stands in a box of its own. */
  readonly box: boolean;
  /** The old value of one that the call changes; null where it doesn't, or that isn't known. */
  readonly was: string | null;
  /** What the server said earlier about it; null where nothing is known. */
  readonly note: string | null;
}

/** An argument that differs from the call before, with the same text as on a card. */
export interface SheetChange {
  readonly label: string;
  /** Null for one that was added. */
  readonly before: string | null;
  /** Null for one that was removed. */
  readonly after: string | null;
  /** The values stand in boxes of their own. */
  readonly box: boolean;
}

/**
 * A value that must be typed to approve; `expected` is null where the call lacks it, so nobody can approve.
 */
export interface TypedValue {
  readonly argument: string;
  readonly label: string;
  readonly expected: string | null;
}

/** What is asked again before a destructive call is approved, as on its card. */
export interface Confirm {
  readonly title: string;
  /** The object, in lines. */
  readonly words: string;
  /** On the button that approves it. */
  readonly verb: string;
}

/** A step of a plan, as its line on the plan's card says it. */
interface PlanSheetStep {
  /** Null for one that is planned when the results are there, and isn't so far. */
  readonly call: CallRecord | null;
  /** Its number, and what it does. */
  readonly act: string;
  /** What has become of it; empty where there is nothing to say. */
  readonly state: string;
}

/** A plan, as plain text; hidden characters are visible in every text. */
export interface PlanSheet {
  readonly title: string;
  /** In order, those that come later last. */
  readonly steps: readonly PlanSheetStep[];
}

/** Everything that people see of a call, as plain text; hidden characters are visible in every text. */
export interface DecisionSheet {
  readonly call: CallRecord;
  /** The tool's real name, `server.tool`. */
  readonly name: string;
  /** The sentence that heads its card, with the tool's real name. */
  readonly summary: string;
  /**
   * Of a step of a plan: which it is, of how many of which plan, and the numbers of those that don't run if it isn't done; null
   * for any other call.
   */
  readonly step: { readonly words: string; readonly neededBy: readonly number[] } | null;
  readonly description: string;
  /** The account that it's done with, as a fact of its own; null where that isn't known. */
  readonly account: string | null;
  /** Who asked for it, as a fact of its own: “Requested by Ana”. */
  readonly requester: string;
  /** Who can decide, and their progress if there is any to tell; nothing once the call is decided. */
  readonly approvers: readonly string[];
  /** When it expires; null: never. */
  readonly until: string | null;
  readonly rows: readonly SheetRow[];
  /** The source of the notes beside arguments; null where there is none. */
  readonly source: string | null;
  /** What the tool uses for arguments that aren't sent; null for nothing. */
  readonly defaults: string | null;
  /** What the agent wrote beside it, in quotes, and the mark before that which says whose words they are; null for nothing. */
  readonly said: { readonly mark: string; readonly words: string } | null;
  readonly warnings: readonly string[];
  /** What came since it was proposed, as the warnings say, by its id; null: nothing. A decision made here says that it was shown. */
  readonly news: string | null;
  /** Who sent back the call that it's proposed after, in which words, and what is different; null for any other. */
  readonly correction: { readonly words: string; readonly changes: readonly SheetChange[] } | null;
  /** The rule that decided, and its reason; null where that says nothing. */
  readonly rule: string | null;
  /** The call's state, in one line. */
  readonly state: string;
  readonly typed: readonly TypedValue[];
  /** Null where one click is enough, or a value has to be typed. */
  readonly confirm: Confirm | null;
  /** What the agent asks, what it adds, and which mail it's about; null for a call of a tool. */
  readonly question: {
    readonly text: string;
    readonly context: string | null;
    /** Empty for a question about none. */
    readonly about: string;
  } | null;
}
