/** What an account is to the workspace that a thread is in. */
export type Standing = 'member' | 'guest' | 'deactivated' | 'stranger' | 'unknown' | 'app';
