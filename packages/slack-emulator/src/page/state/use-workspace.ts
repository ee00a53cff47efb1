import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { PageEvent } from '../../server/page-api.ts';
import { eventsUrl, fetchHistory, fetchState } from './api.ts';
import { EMPTY_STATE, type PageAction, type PageState, reducePage } from './state.ts';

/** How long to wait before asking again when the browser has given the event stream up, in milliseconds. */
const RECONNECT_AFTER_MS = 1500;

interface Workspace {
  readonly state: PageState;
  /** Loads a channel's messages, once; they are kept live after that. */
  readonly open: (channel: string) => void;
  /** Why nothing could be loaded, in words for people. */
  readonly problem: string | null;
}

/** The workspace as `user` sees it, kept live; after a gap in the events everything is fetched again. */
export function useWorkspace(user: string): Workspace {
  const [state, dispatch] = useReducer(reducePage, EMPTY_STATE);
  const [problem, setProblem] = useState<string | null>(null);
  const opened = useRef(new Set<string>());
  const missed = useRef<PageEvent[]>([]);
  const loading = useRef(0);

  /** Events that arrive during a fetch wait for it, so that an older snapshot cannot undo them. */
  const load = useCallback(async (fetchAction: () => Promise<PageAction>) => {
    loading.current += 1;
    try {
      dispatch(await fetchAction());
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      loading.current -= 1;
      if (loading.current === 0)
        for (const event of missed.current.splice(0)) dispatch({ type: 'event', event });
    }
  }, []);

  const loadHistory = useCallback(
    (channel: string) =>
      load(async () => ({ type: 'history', channel, messages: await fetchHistory(user, channel) })),
    [load, user],
  );

  const open = useCallback(
    (channel: string) => {
      if (opened.current.has(channel)) return;
      opened.current.add(channel);
      void loadHistory(channel);
    },
    [loadHistory],
  );

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let source = listen();

    function listen(): EventSource {
      const events = new EventSource(eventsUrl(user));
      events.onopen = () => {
        dispatch({ type: 'connection', connection: 'live' });
        void load(async () => ({ type: 'workspace', workspace: await fetchState(user) }));
        for (const channel of opened.current) void loadHistory(channel);
      };
      events.onmessage = ({ data }) => {
        const event: PageEvent = JSON.parse(data);
        if (loading.current > 0) missed.current.push(event);
        else dispatch({ type: 'event', event });
      };
      events.onerror = () => {
        dispatch({ type: 'connection', connection: 'lost' });
        // The browser tries again by itself unless it was refused outright.
        if (events.readyState !== EventSource.CLOSED) return;
        // Asked for here only for the words of the refusal.
        void load(async () => ({ type: 'workspace', workspace: await fetchState(user) }));
        timer = setTimeout(() => {
          source = listen();
        }, RECONNECT_AFTER_MS);
      };
      return events;
    }

    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [user, load, loadHistory]);

  return { state, open, problem };
}
