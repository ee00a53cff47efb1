import type { RichTextElement } from '@slack/types';

/** Who decides a call now, and how far they are: for the line under a card's title. */
export interface ApproverSummary {
  /** "Ana", "2 of @finance or Bob". */
  readonly who: string;
  /** The same with mentions, where people are told by the card that they are asked. */
  readonly mentioning?: readonly RichTextElement[];
  /** Whether this is one named person, and nobody else. */
  readonly isOnly: boolean;
  readonly verb: string;
  /** "1 of 2 approved: Bob"; null where one person's word is enough. */
  readonly progress: string | null;
}

/** Somebody who is asked: as the thread names them, and as the notification does. */
export interface Named {
  readonly element: RichTextElement;
  readonly name: string;
}

/** The bot's own user, and the team it is installed in; known once Slack has accepted the token. */
export type BotIdentity = () => { readonly userId: string; readonly teamId: string; readonly name: string };
