import type { JsonObject } from '../json.ts';
import { messageToJson } from '../web-api/message-json.ts';
import type { Message, Person, View, Workspace } from '../workspace/types.ts';
import { viewToJson } from '../workspace/views.ts';
import { isExternal } from '../workspace/workspace.ts';

/**
 * What every interaction payload begins with. `user.team_id` is the organisation's in Enterprise Grid
 * (docs.slack.dev/reference/interaction-payloads/block_suggestion-payload), and an installation in a whole organisation
 * has `team: null` (the comment in Bolt's `buildSource`).
 */
export function interactionFrame(workspace: Workspace, person: Person): JsonObject {
  const { team, installation } = workspace;
  const { enterpriseId, isOrgWide } = installation;
  const userTeam = isExternal(workspace, person) ? person.teamId : (enterpriseId ?? person.teamId);
  const inGrid = enterpriseId !== null && { enterprise_id: enterpriseId };
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: userTeam },
    team: isOrgWide ? null : { id: team.id, domain: team.domain, ...inGrid },
    enterprise: enterpriseId === null ? null : { id: enterpriseId, name: 'Organisation' },
    is_enterprise_install: isOrgWide,
    api_app_id: workspace.app.appId,
    token: workspace.app.verificationToken,
  };
}

/** The part of `block_actions` that says which message the element stands in. */
export function messageSource(workspace: Workspace, message: Message, responseUrl: string): JsonObject {
  const isEphemeral = message.ephemeralFor !== null;
  const channel = workspace.channels.get(message.channel);
  const inThread = message.threadTs !== null && { thread_ts: message.threadTs };
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: isEphemeral,
      ...inThread,
    },
    channel: { id: message.channel, name: channel?.kind === 'im' ? 'directmessage' : (channel?.name ?? '') },
    // Slack sends no content of an ephemeral message along.
    ...(!isEphemeral && { message: messageToJson(workspace, message, { withMetadata: true }) }),
    state: { values: workspace.messageValues.get(`${message.channel}:${message.ts}`) ?? {} },
    response_url: responseUrl,
  };
}

/**
 * What payloads about views begin with. Somebody from another organisation acts in their own team there, and
 * `view.app_installed_team_id` is that of the app (slackapi/bolt-js#1614).
 */
export function viewFrame(workspace: Workspace, person: Person): JsonObject {
  const frame = interactionFrame(workspace, person);
  return isExternal(workspace, person)
    ? { ...frame, team: { id: person.teamId, domain: 'elsewhere' } }
    : frame;
}

/** The part of `block_actions` that says which view the element stands in. */
export function viewSource(workspace: Workspace, view: View): JsonObject {
  return { container: { type: 'view', view_id: view.id }, view: viewToJson(workspace, view) };
}
