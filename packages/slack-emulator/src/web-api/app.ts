import type { Methods } from './method.ts';

export const appMethods: Methods = {
  'auth.test': {
    token: 'bot',
    run: ({ workspace }) => {
      const { enterpriseId, isOrgWide } = workspace.installation;
      return {
        url: `${workspace.baseUrl()}/`,
        team: workspace.team.name,
        user: workspace.people.get(workspace.app.botUserId)?.name ?? '',
        team_id: isOrgWide ? enterpriseId : workspace.team.id,
        user_id: workspace.app.botUserId,
        bot_id: workspace.app.botId,
        ...(enterpriseId !== null && { enterprise_id: enterpriseId }),
        is_enterprise_install: isOrgWide,
      };
    },
  },
  'apps.connections.open': {
    token: 'app',
    run: ({ openSocket }) => ({ url: openSocket() }),
  },
};
