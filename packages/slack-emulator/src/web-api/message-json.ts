import type { JsonObject } from '../json.ts';
import { findReplies } from '../workspace/messages.ts';
import type { Message, Person, StoredFile, Workspace } from '../workspace/types.ts';
import { isExternal, isExternallyShared } from '../workspace/workspace.ts';

/** A message as Slack describes it in answers, events and interaction payloads. */
export function messageToJson(
  workspace: Workspace,
  message: Message,
  { withMetadata = false }: { readonly withMetadata?: boolean } = {},
): JsonObject {
  const { app, team } = workspace;
  const channel = workspace.channels.get(message.channel);
  const authorTeam = workspace.people.get(message.user)?.teamId ?? team.id;
  return {
    type: 'message',
    ...(message.subtype !== null && { subtype: message.subtype }),
    user: message.user,
    text: message.text,
    ts: message.ts,
    team: authorTeam,
    ...(channel !== undefined &&
      isExternallyShared(workspace, channel) && { user_team: authorTeam, source_team: authorTeam }),
    ...(message.byApp && {
      bot_id: app.botId,
      app_id: app.appId,
      bot_profile: {
        id: app.botId,
        app_id: app.appId,
        user_id: app.botUserId,
        name: botName(workspace),
        team_id: team.id,
        deleted: false,
      },
    }),
    ...(message.clientMsgId !== null && { client_msg_id: message.clientMsgId }),
    ...(message.blocks.length > 0 && { blocks: [...message.blocks] }),
    ...(message.edited !== null && { edited: { ...message.edited } }),
    ...(message.files.length > 0 && { files: filesToJson(workspace, message) }),
    ...(message.reactions.length > 0 && {
      reactions: message.reactions.map(({ name, users }) => ({
        name,
        users: [...users],
        count: users.length,
      })),
    }),
    ...(withMetadata && message.metadata !== null && { metadata: message.metadata }),
    ...(message.stream !== null && { streaming_state: 'in_progress' }),
    ...(message.ephemeralFor !== null && { is_ephemeral: true }),
    ...threadFields(workspace, message),
  };
}

/** A file as Slack describes it (docs.slack.dev/reference/objects/file-object); its links lead to this server. */
export function fileToJson(file: StoredFile, baseUrl: string): JsonObject {
  if (file.isDeleted) return { id: file.id, mode: 'tombstone' };
  const link = `${baseUrl}/files/${file.id}`;
  return {
    id: file.id,
    created: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: file.name.split('.').at(-1) ?? '',
    user: file.user,
    size: file.size,
    mode: file.isSnippet ? 'snippet' : 'hosted',
    editable: file.isSnippet,
    is_external: false,
    is_public: file.channels.some((id) => id.startsWith('C')),
    url_private: link,
    url_private_download: link,
    permalink: `${baseUrl}/workspace/files/${file.id}`,
    channels: file.channels.filter((id) => id.startsWith('C')),
    ims: file.channels.filter((id) => id.startsWith('D')),
    groups: [],
  };
}

/**
 * A person as `users.info` describes them. `is_stranger` is only true of people from elsewhere who share no channel with
 * the app (docs.slack.dev/reference/objects/user-object).
 */
export function personToJson(workspace: Workspace, person: Person): JsonObject {
  const { enterpriseId } = workspace.installation;
  const isColleague = !isExternal(workspace, person);
  const offset = zoneOffsetSeconds(person.tz, workspace.clock.now());
  return {
    id: person.id,
    team_id: person.teamId,
    name: person.name,
    deleted: person.deleted,
    real_name: person.realName,
    tz: person.tz,
    tz_label: person.tz,
    tz_offset: offset,
    profile: {
      real_name: person.realName,
      display_name: person.realName.split(' ')[0] ?? person.name,
      team: person.teamId,
      ...(person.isBot && { api_app_id: workspace.app.appId, bot_id: workspace.app.botId }),
    },
    is_admin: person.isAdmin,
    is_owner: person.isAdmin,
    is_primary_owner: person.isAdmin,
    is_restricted: person.isRestricted,
    is_ultra_restricted: person.isUltraRestricted,
    is_bot: person.isBot,
    is_app_user: false,
    is_stranger: !isColleague && !sharesChannel(workspace, person),
    ...(enterpriseId !== null &&
      isColleague && {
        enterprise_user: {
          id: person.id,
          enterprise_id: enterpriseId,
          enterprise_name: 'Organisation',
          is_admin: false,
          is_owner: false,
          teams: [...(person.workspaces ?? [person.teamId])],
        },
      }),
    updated: 0,
  };
}

function sharesChannel({ channels, app }: Workspace, person: Person): boolean {
  return [...channels.values()].some(
    ({ kind, members }) =>
      kind === 'channel' && members.includes(person.id) && members.includes(app.botUserId),
  );
}

function filesToJson(workspace: Workspace, message: Message): JsonObject[] {
  return message.files.flatMap((id) => {
    const file = workspace.files.get(id);
    return file === undefined ? [] : [fileToJson(file, workspace.baseUrl())];
  });
}

function threadFields(workspace: Workspace, message: Message): JsonObject {
  if (message.threadTs === null) return {};
  if (message.threadTs !== message.ts) {
    const parent = workspace.messages.get(message.channel)?.find((it) => it.ts === message.threadTs);
    return { thread_ts: message.threadTs, ...(parent !== undefined && { parent_user_id: parent.user }) };
  }
  const replies = findReplies(workspace, message.channel, message.ts);
  const users = [...new Set(replies.map((it) => it.user))];
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: replies.at(-1)?.ts ?? message.ts,
  };
}

function botName(workspace: Workspace): string {
  return workspace.people.get(workspace.app.botUserId)?.realName ?? '';
}

function zoneOffsetSeconds(tz: string, now: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: tz, timeZoneName: 'longOffset' }).formatToParts(
    now,
  );
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find((it) => it.type === 'timeZoneName')?.value ?? '');
  if (match === null) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60;
  return match[1] === '-' ? -seconds : seconds;
}
