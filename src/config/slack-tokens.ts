import { z } from 'zod';
import { WRONG_TOKEN } from './texts.ts';

/** Which of Slack's tokens begin how. @see https://docs.slack.dev/authentication/tokens */
const KINDS = { 'xoxb-': 'bot', 'xapp-': 'app', 'xoxp-': 'user', xoxe: 'configuration' } as const;

/** Why a value can't be the bot or the app-level token, completing "it …"; null if it may be. Never holds the value. */
export function findTokenProblem(wanted: 'bot' | 'app', token: string): string | null {
  const [, kind = null] = Object.entries(KINDS).find(([prefix]) => token.startsWith(prefix)) ?? [];
  if (kind === wanted) return null;
  const found = kind === null ? WRONG_TOKEN.unknown : WRONG_TOKEN[kind];
  return `${found} ${WRONG_TOKEN.wanted[wanted]}`;
}

/** The schema of a setting with a token of Slack's. */
export function slackToken(wanted: 'bot' | 'app') {
  return z.string().superRefine((token, context) => {
    const message = findTokenProblem(wanted, token);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}
