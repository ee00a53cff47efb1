import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { isForInstallation } from '../../../../src/slack/client/installation.ts';

const OURS = { team_id: 'T1', enterprise_id: null, is_enterprise_install: false };
const THEIRS = { team_id: 'T2', enterprise_id: null, is_enterprise_install: false };
const IN_ORGANISATION = { team_id: null, enterprise_id: 'E1', is_enterprise_install: true };
const event = (body: JsonObject): JsonObject => ({ type: 'event_callback', ...body });

it.each<[string, JsonObject]>([
  ['an event', event({ team_id: 'T1', authorizations: [OURS] })],
  ['an event at whose top the other organisation stands', event({ team_id: 'T2', authorizations: [OURS] })],
  ['an event at whose top nobody stands', event({ team_id: null, authorizations: [OURS] })],
  ['an event without a top', event({ authorizations: [OURS] })],
  [
    'an event of a workspace of Enterprise Grid',
    event({ authorizations: [{ ...OURS, enterprise_id: 'E1' }] }),
  ],
  ['an event without authorizations', event({ team_id: 'T1' })],
  ['an event with no authorization', event({ team_id: 'T1', authorizations: [] })],
  ['a command', { command: '/countersign', team_id: 'T1', is_enterprise_install: 'false' }],
  ['a form', { type: 'view_submission', team: { id: 'T1' }, view: { app_installed_team_id: 'T1' } }],
  [
    'a form of somebody from elsewhere',
    { type: 'view_submission', team: { id: 'T2' }, view: { app_installed_team_id: 'T1' } },
  ],
  ['a click of somebody from elsewhere', { type: 'block_actions', team: { id: 'T2' } }],
])('%s is for the workspace', (_what, body) => {
  expect(isForInstallation(body, 'T1')).toBe(true);
});

it.each<[string, JsonObject]>([
  ['an event', event({ team_id: 'T1', authorizations: [THEIRS] })],
  ['an event that names nobody', event({ team_id: null })],
  ['an event whose authorization names nobody', event({ team_id: 'T1', authorizations: [{}] })],
  ['an event whose authorizations cannot be read', event({ team_id: 'T1', authorizations: ['T1'] })],
  [
    'an event of an installation in an organisation',
    event({ team_id: 'T1', authorizations: [IN_ORGANISATION] }),
  ],
  ['a command', { command: '/countersign', team_id: 'T2', is_enterprise_install: 'false' }],
  ['a command that names nobody', { command: '/countersign' }],
  ['a form', { type: 'view_submission', team: { id: 'T1' }, view: { app_installed_team_id: 'T2' } }],
  ['a form that names nobody', { type: 'view_submission', team: { id: 'T1' }, view: {} }],
  ['a click in a view', { type: 'block_actions', team: { id: 'T1' }, view: { app_installed_team_id: 'T2' } }],
])('%s of another installation is not for the workspace', (_what, body) => {
  expect(isForInstallation(body, 'T1')).toBe(false);
});

it.each<[string, JsonObject, boolean]>([
  ['an event', event({ team_id: 'T7', authorizations: [IN_ORGANISATION] }), true],
  [
    'an event of one workspace',
    event({ team_id: 'T7', authorizations: [{ ...OURS, enterprise_id: 'E1' }] }),
    false,
  ],
  ['a command', { command: '/x', team_id: 'T7', enterprise_id: 'E1', is_enterprise_install: 'true' }, true],
  ['a command of one workspace', { command: '/x', team_id: 'T7', enterprise_id: 'E1' }, false],
  ['a form', { team: null, enterprise: { id: 'E1' }, is_enterprise_install: true, view: {} }, true],
  [
    'a form elsewhere',
    { team: null, enterprise: { id: 'E2' }, is_enterprise_install: true, view: {} },
    false,
  ],
])('in a whole organisation: %s', (_what, body, expected) => {
  expect(isForInstallation(body, 'E1')).toBe(expected);
});
