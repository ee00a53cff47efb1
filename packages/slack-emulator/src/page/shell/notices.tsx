import { useState } from 'react';
import { SHELL } from '../texts.ts';

/** Where the browser keeps what was closed, so that it stays closed. */
const CLOSED_KEY = 'closed-notices';

/** What the workspace tells everybody, each with a button that closes it for good in this browser. */
export function Notices({ notices }: { readonly notices: readonly string[] }) {
  const [closed, setClosed] = useState(readClosed);
  const close = (notice: string) => {
    const all = [...closed, notice];
    setClosed(all);
    localStorage.setItem(CLOSED_KEY, JSON.stringify(all));
  };
  return (
    <div className="notices" role="status">
      {notices
        .filter((notice) => !closed.includes(notice))
        .map((notice) => (
          <p key={notice} className="banner">
            <span>{notice}</span>
            <button
              type="button"
              className="icon-button"
              aria-label={SHELL.closeNote}
              onClick={() => close(notice)}
            >
              ✕
            </button>
          </p>
        ))}
    </div>
  );
}

function readClosed(): readonly string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(CLOSED_KEY) ?? '[]');
  return Array.isArray(kept) ? kept.filter((notice) => typeof notice === 'string') : [];
}
