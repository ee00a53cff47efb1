/** An account's standing in the thread's workspace. */
export type Standing = 'member' | 'guest' | 'deactivated' | 'stranger' | 'unknown' | 'app';
