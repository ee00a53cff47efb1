import { ErrorCode } from '@slack/web-api';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../../src/lib/errors.ts';
import { startError } from '../../../../src/slack/client/bolt.ts';
import { tokenProblem } from '../../../../src/slack/texts/client.ts';

it.each([
  [
    'invalid_auth',
    'SLACK_BOT_TOKEN',
    /does not know the token in SLACK_BOT_TOKEN/,
    /^Set SLACK_BOT_TOKEN to .*xoxb-/,
  ],
  ['not_authed', 'SLACK_BOT_TOKEN', /was given no token/, /^Set SLACK_BOT_TOKEN to .*xoxb-/],
  [
    'token_revoked',
    'SLACK_BOT_TOKEN',
    /was revoked, or the app was removed/,
    /^Install the app again\. Set SLACK_BOT_TOKEN/,
  ],
  ['missing_scope', 'SLACK_BOT_TOKEN', /lacks a scope/, /manifest\.yml, and install it again/],
  [
    'missing_scope',
    'SLACK_APP_TOKEN',
    /lacks connections:write/,
    /^Set SLACK_APP_TOKEN to .*connections:write/,
  ],
  ['not_allowed_token_type', 'SLACK_APP_TOKEN', /wrong kind/, /^Set SLACK_APP_TOKEN to .*xapp-/],
  ['ekm_access_denied', 'SLACK_BOT_TOKEN', /refuses SLACK_BOT_TOKEN \(ekm_access_denied\)/, /An admin/],
] as const)('%s of %s is told in words, with what to do', (error, variable, what, mend) => {
  const problem = tokenProblem(error, variable);
  expect(problem.what).toMatch(what);
  expect(problem.mend).toMatch(mend);
});

it('a start that Slack refuses says the same', () => {
  const error = startError(
    { code: ErrorCode.PlatformError, data: { error: 'token_revoked' } },
    'SLACK_BOT_TOKEN',
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({ userMessage: expect.stringMatching(/was revoked.*Install the app again\./) });
});
