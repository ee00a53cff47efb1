/** A connection of a person's own, as Home lists it. */
export const CONNECTED = {
  server: 'tasks',
  state: 'connected',
  isOver: false,
  since: 1_795_942_800_000,
  account: null,
  missing: [],
  isClientRefused: false,
} as const;
