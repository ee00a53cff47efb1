import { SlackRefusal } from '../errors.ts';
import { optional } from './arguments.ts';
import type { Methods } from './method.ts';

/** The two methods of “Sign in with Slack”. */
export const openIdMethods: Methods = {
  'openid.connect.token': {
    token: 'none',
    run: ({ workspace, openId }, args) => {
      const { clientId, clientSecret } = workspace.app;
      if (optional(args, 'client_id') !== clientId) throw new SlackRefusal('invalid_client_id');
      if (optional(args, 'client_secret') !== clientSecret) throw new SlackRefusal('bad_client_secret');
      if ((optional(args, 'grant_type') ?? 'authorization_code') !== 'authorization_code')
        throw new SlackRefusal('invalid_grant_type');
      return openId.exchange(optional(args, 'code') ?? '', optional(args, 'redirect_uri'));
    },
  },
  'openid.connect.userInfo': {
    token: 'person',
    run: ({ openId }, args) => openId.userInfo(optional(args, 'token') ?? '') ?? {},
  },
};
