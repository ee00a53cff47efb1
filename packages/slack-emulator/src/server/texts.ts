/** What the server tells people, and programs that ask it for something else than Slack's Web API. */

/** The page on which people say who they are. */
export const SIGN_IN = {
  tab: 'Sign in · local workspace',
  title: (host: string) => `Sign in to ${host}`,
  asks: (app: string, workspace: string) => `${app} asks who you are in “${workspace}”.`,
  continueAs: (person: string) => `Continue as ${person}`,
  am: (person: string) => `I am ${person}`,
  cancel: 'Cancel',
  standsIn: 'This stands in for Slack’s own page, which asks whoever is signed in there.',
  wrong: 'Something went wrong',
  wrongAsk: (code: string) => `The app that sent you here asks for something wrong (${code}).`,
} as const;

/** The page of the workspace before it runs. */
export const PAGE = {
  title: 'Local workspace',
  needsScript: 'The local workspace needs JavaScript.',
  notLoaded: (problem: string) => `The page can't be shown: its files could not be loaded.\n${problem}`,
} as const;

/** What whoever may not read a file gets in its place. */
export const SIGN_IN_PAGE = '<!DOCTYPE html><html lang="en-US"><title>Sign in | Slack</title></html>';

export const ANSWER = {
  onlyOwnPages: 'Only pages of this server, on this machine, may ask.',
  nothingHere: 'There is nothing here.',
  noMessage: 'There is no such message.',
  noPage: 'There is no such page.',
  noFile: 'There is no such file.',
  notUnderstood: (code: string) => `That was not understood (${code}).`,
  missing: (field: string) => `“${field}” is missing.`,
} as const;
