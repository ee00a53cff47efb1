import type { Methods } from './method.ts';

export const appMethods: Methods = {
  'auth.test': {
    token: 'bot',
    run: ({ workspace }) => ({
      url: `${workspace.baseUrl()}/`,
      team: workspace.team.name,
      user: workspace.people.get(workspace.app.botUserId)?.name ?? '',
      team_id: workspace.team.id,
      user_id: workspace.app.botUserId,
      bot_id: workspace.app.botId,
      is_enterprise_install: false,
    }),
  },
  'apps.connections.open': {
    token: 'app',
    run: ({ openSocket }) => ({ url: openSocket() }),
  },
};
