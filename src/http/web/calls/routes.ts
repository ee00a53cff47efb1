import type { Hono } from 'hono';
import type { Gate } from '../../../gate/index.ts';
import type { Notebooks } from '../../../notebook/ports.ts';
import type { Whereabouts } from '../../../programs/ports.ts';
import type { Store } from '../../../storage/store.ts';
import type { HttpEnv } from '../../context.ts';
import type { AdminPorts } from '../admin/ports.ts';
import type { SignInPorts } from '../pages/sign-in.ts';
import type { WebPorts } from '../ports.ts';
import type { VisitorPorts } from '../session/visitor.ts';
import { callPage } from './call.ts';
import { callsPage } from './list.ts';
import { notebookPage } from './notebook.ts';
import { sessionsPage } from './sessions.ts';
import { timelinePage } from './timeline.ts';
import { createViewerPages } from './viewer.ts';

interface CallPagesPorts {
  readonly gate: {
    readonly calls: Pick<Gate['calls'], 'search' | 'outlines' | 'inbox' | 'waitsFor' | 'get' | 'getMany'>;
    readonly risk: Pick<Gate['risk'], 'session' | 'isRecorded'>;
  };
  readonly mcp: { readonly whereabouts: Whereabouts };
  readonly notebooks: Pick<Notebooks, 'write' | 'isOwn'>;
  readonly store: Store;
  /** Null where nobody is told who admins are: everybody sees their own calls then. */
  readonly admin: Pick<AdminPorts, 'isAdmin'> | null;
}

/** The pages of calls and sessions: for admins of all, for others of what was asked for in their name and what they decide. */
export function callRoutes(
  app: Hono<HttpEnv>,
  { gate, mcp, notebooks, admin, store }: CallPagesPorts,
  web: VisitorPorts & SignInPorts & Pick<WebPorts, 'sheet' | 'plan' | 'samePerson' | 'headlines' | 'place'>,
): void {
  const show = createViewerPages(app, web, admin);
  callsPage(show, gate, web);
  callPage(show, { gate, whereabouts: mcp.whereabouts, store }, web);
  sessionsPage(show, { gate, store }, web);
  timelinePage(show, { gate, notebooks, store }, web);
  notebookPage(show, notebooks);
}
