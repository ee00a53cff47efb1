import { expect, it } from 'vitest';
import { AppError, StoreError } from '../../../../src/lib/errors.ts';
import { classifyFailure, type Failure } from '../../../../src/slack/client/api-errors.ts';
import { startWorkspace, webClient } from '../../../helpers/workspace.ts';

it.each<[string, Failure]>([
  ['service_unavailable', { kind: 'passing', name: 'service_unavailable', waitMs: 2_000 }],
  ['streaming_state_conflict', { kind: 'passing', name: 'streaming_state_conflict', waitMs: 2_000 }],
  ['internal_error', { kind: 'unclear', name: 'internal_error', waitMs: 2_000 }],
  ['token_revoked', { kind: 'locked_out', name: 'token_revoked', waitMs: 60_000 }],
  ['team_added_to_org', { kind: 'passing', name: 'team_added_to_org', waitMs: 2_000 }],
  ['missing_scope', { kind: 'refused', name: 'missing_scope' }],
  ['message_not_found', { kind: 'gone', name: 'message_not_found' }],
  ['edit_window_closed', { kind: 'gone', name: 'edit_window_closed' }],
  ['invalid_blocks', { kind: 'refused', name: 'invalid_blocks' }],
  ['not_in_channel', { kind: 'closed', name: 'not_in_channel' }],
  ['is_inactive', { kind: 'closed', name: 'is_inactive' }],
  [
    'restricted_action_thread_only_channel',
    { kind: 'closed', name: 'restricted_action_thread_only_channel' },
  ],
])('Slack’s %s', async (error, failure) => {
  const workspace = await startWorkspace();
  workspace.driver.fault({ method: 'auth.test', times: 1, kind: 'error', error });
  const thrown: unknown = await webClient(workspace)
    .auth.test()
    .catch((reason: unknown) => reason);
  expect(classifyFailure(thrown)).toEqual(failure);
});

it.each([
  [['users:read'], 'chat.postMessage', { kind: 'locked_out', name: 'missing_scope', waitMs: 60_000 }],
  [['chat:write'], 'users.list', { kind: 'refused', name: 'missing_scope' }],
] as const)('with the scopes %s, %s is %o', async (scopes, method, failure) => {
  const workspace = await startWorkspace({ scopes });
  const thrown: unknown = await webClient(workspace)
    .apiCall(method, { channel: 'C0GENERAL1', text: 'hello' })
    .catch((reason: unknown) => reason);
  expect(classifyFailure(thrown)).toEqual(failure);
});

it('a rate limit says itself how long to wait', async () => {
  const workspace = await startWorkspace();
  workspace.driver.fault({ method: 'auth.test', times: 1, kind: 'rate_limited', retryAfter: 7 });
  const thrown: unknown = await webClient(workspace)
    .auth.test()
    .catch((reason: unknown) => reason);
  expect(classifyFailure(thrown)).toEqual({ kind: 'passing', name: 'ratelimited', waitMs: 7_000 });
});

it.each(['reset_before', 'drop_response'] as const)(
  'a connection that breaks (%s) is worth another try',
  async (kind) => {
    const workspace = await startWorkspace();
    workspace.driver.fault({ method: 'auth.test', times: 1, kind });
    const thrown: unknown = await webClient(workspace)
      .auth.test()
      .catch((reason: unknown) => reason);
    expect(classifyFailure(thrown)).toMatchObject({ kind: 'passing' });
  },
);

it.each<[string, unknown, Failure['kind']]>([
  ['a store that is away', new StoreError('away'), 'passing'],
  ['an error of ours that stays', new AppError({ code: 'x', userMessage: 'no' }), 'refused'],
  ['a mistake of ours', new TypeError('oops'), 'refused'],
  ['what is no error at all', 'oops', 'refused'],
])('%s', (_what, error, kind) => {
  expect(classifyFailure(error).kind).toBe(kind);
});
