import { useCallback, useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route } from './route.ts';

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

/** The route in the address, and how to change parts of it. */
export function useRoute(): [Route, (change: Partial<Route>) => void] {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const route = parseRoute(hash);
  const navigate = useCallback((change: Partial<Route>) => {
    location.hash = formatRoute({ ...parseRoute(location.hash), ...change });
  }, []);
  return [route, navigate];
}
