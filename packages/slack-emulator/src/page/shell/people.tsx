import { createContext, useContext } from 'react';
import type { PageUser, WorkspaceState } from '../../server/page-api.ts';
import { SHELL } from '../texts.ts';

const WorkspaceContext = createContext<WorkspaceState | null>(null);
export const WorkspaceProvider = WorkspaceContext.Provider;

/** The workspace that the page shows. Throws outside of `WorkspaceProvider`. */
export function useWorkspaceState(): WorkspaceState {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error('useWorkspaceState needs a WorkspaceProvider around it');
  return workspace;
}

/** Someone by id; ids that the workspace does not know are shown as they are. */
export function findUser({ bot, users }: WorkspaceState, id: string): PageUser {
  if (bot.id === id) return bot;
  return users.find((user) => user.id === id) ?? { id, name: id, realName: id, isBot: false };
}

export function displayName(user: PageUser): string {
  return user.realName === '' ? user.name : user.realName;
}

/** The picture of somebody: initials on a colour of their own, or the app's mark. */
export function Avatar({ user, size = 'medium' }: { user: PageUser; size?: 'small' | 'medium' }) {
  if (user.isBot) {
    return (
      <span className={`avatar avatar-bot avatar-${size}`} aria-hidden="true">
        <BrandMark />
      </span>
    );
  }
  const hue = [...user.id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 6;
  return (
    <span className={`avatar avatar-hue-${hue} avatar-${size}`} aria-hidden="true">
      {displayName(user).slice(0, 1).toUpperCase()}
    </span>
  );
}

/** How much is unread; nothing if all is read. */
export function Unread({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="badge">
      {count}
      <span className="hidden">{SHELL.unread}</span>
    </span>
  );
}

/** The mark of the page: a signature. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 24 24" className="brand-mark" aria-hidden="true" focusable="false">
      <path d="M4 14.2 8.6 18 15 6.2c.9-1.7 3-1 2.6.9-.5 2.6-3.7 5.3-5.6 6.9 2-.9 3.600-.4 3.500 1.300 0 .9.900 1.100 1.900.5L20 14.600" />
    </svg>
  );
}
