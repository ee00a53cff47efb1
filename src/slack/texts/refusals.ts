/** The texts that answer a click, a form or a command. Names come in as they are to be shown. */

/** The titles of a modal that says why a click or form had no effect. */
export const REFUSAL_TITLE = {
  nothingDone: 'Nothing was done',
  counted: 'Already counted',
  decided: 'Already decided',
} as const;

export const UNEXPECTED = 'Something went wrong on our side; nothing was changed. Try again in a moment.';
export const OTHER_VERSION =
  'This belongs to another version of the app, and does nothing here. Nothing was changed.';

/** Review and Reject all. */
export const ALL = {
  decided: 'All of these were decided. Nothing was changed.',
} as const;

/** Undo and Try again. */
export const FOLLOW_UP = {
  asked: ['Asked', 'It waits on a card in the thread.'],
  runs: ['Trying again', 'The policy allows it as it is, so it runs now. Its card is in the thread.'],
  busy: 'Something else in this thread is not done yet. Nothing was asked; try again once it is.',
  denied: (reason: string | null) => `The policy doesn't allow it${reason === null ? '' : `: ${reason}`}`,
  noInverse: 'What it takes to undo this is not known. Nothing was done; ask the agent for it.',
  over: 'This is not possible any more. Nothing was done.',
} as const;

/** Somebody else's result. */
export function onlyForRequester(name: string): string {
  return `This result is for ${name} alone.`;
}

export const NOT_FULLY_SHOWN =
  'There is more to it than fits here, so it can only be approved where all of it is shown. Nothing was done.';

/** A server's question is over. */
export const ELICITATION_OVER = {
  doneByServer: (server: string) => `${server} says that this is done. It has already continued.`,
  notAsked: 'The server is no longer waiting for this. Nothing was changed.',
} as const;

/** What a modal shows after Retry: its title, and one sentence. */
export const RETRYING = ['Trying again', 'The result appears in the thread.'] as const;

export function revoked(tool: string): string {
  return `Revoked. ${tool} needs approval again.`;
}

export const NOBODY_CHOSEN = 'Choose somebody. Nothing was changed.';

/** The review of a server's tools. */
export const REVIEW = {
  accepted: 'Accepted',
  acceptedAt: (server: string, names: string) => `Accepted at ${server}: ${names}.`,
  onlyAdmins: 'Only admins review tools. Nothing was changed.',
  changed: 'This review is out of date. Nothing was changed. Your Home shows the current one.',
} as const;
