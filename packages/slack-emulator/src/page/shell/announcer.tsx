import { useEffect, useRef, useState } from 'react';
import type { PageMessage } from '../../server/page-api.ts';
import { displayName, findUser, useWorkspaceState } from './people.tsx';

/**
 * Reads new messages of the open conversation to screen readers, once each and only when whole: the
 * lists themselves are not live, or a streamed answer would be read again at every piece.
 */
export function Announcer({ messages }: { messages: readonly PageMessage[] | null }) {
  const workspace = useWorkspaceState();
  const seen = useRef<string | null>(null);
  const [text, setText] = useState('');
  const last = messages?.findLast(({ streaming }) => !streaming);

  useEffect(() => {
    if (last === undefined || last.ts === seen.current) return;
    const first = seen.current === null;
    seen.current = last.ts;
    if (!first && last.user !== workspace.me.id)
      setText(`${displayName(findUser(workspace, last.user))}: ${last.text}`);
  }, [last, workspace]);

  return (
    <div className="hidden" aria-live="polite">
      {text}
    </div>
  );
}
