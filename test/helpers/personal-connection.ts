import type { PersonalConnection } from '../../src/oauth/ports.ts';

/** A server that somebody has yet to connect. */
export const UNCONNECTED: PersonalConnection = {
  server: 'tasks',
  servers: ['tasks'],
  state: 'sign_in_required',
  isOver: false,
  since: null,
  account: null,
  missing: [],
  isClientRefused: false,
};
