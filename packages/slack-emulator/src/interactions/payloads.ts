import type { JsonObject } from '../json.ts';
import { messageToJson } from '../web-api/message-json.ts';
import type { Message, Person, View, Workspace } from '../workspace/types.ts';
import { viewToJson } from '../workspace/views.ts';

/** What every interaction payload begins with. */
export function interactionFrame(workspace: Workspace, person: Person): JsonObject {
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: person.teamId },
    team: { id: workspace.team.id, domain: workspace.team.domain },
    enterprise: null,
    is_enterprise_install: false,
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

/** The part of `block_actions` that says which view the element stands in. */
export function viewSource(workspace: Workspace, view: View): JsonObject {
  return { container: { type: 'view', view_id: view.id }, view: viewToJson(workspace, view) };
}
