import { useCallback, useState } from 'react';

/** What was typed and not sent, kept per person and place for as long as the tab lives. */
export function useDraft(key: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => ({ key, text: sessionStorage.getItem(key) ?? '' }));
  const text = draft.key === key ? draft.text : (sessionStorage.getItem(key) ?? '');
  const change = useCallback(
    (next: string) => {
      sessionStorage.setItem(key, next);
      setDraft({ key, text: next });
    },
    [key],
  );
  return [text, change];
}
