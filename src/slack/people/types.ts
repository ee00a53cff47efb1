import type { RichTextElement } from '@slack/types';

/** The current approvers of a call and their progress, for the line under a card's title. */
export interface ApproverSummary {
  /** The approvers: "Ana", "2 of @finance or Bob". */
  readonly who: string;
  /** The same with mentions, where the card notifies people. */
  readonly mentioning?: readonly RichTextElement[];
  /** Whether this is one named person, and nobody else. */
  readonly isOnly: boolean;
  readonly verb: string;
  /** The progress: "1 of 2 approved: Bob"; null where one approval is enough. */
  readonly progress: string | null;
}

/** An approver, or a piece of their label: as Slack shows it, and as plain text. */
export interface Named {
  readonly element: RichTextElement;
  readonly name: string;
}

/** The bot's user, and where it is installed; known once Slack has accepted the token. */
export type BotIdentity = () => {
  readonly userId: string;
  /** The id of the workspace, or of the organisation where the app is installed in all of it. */
  readonly teamId: string;
  readonly name: string;
};
