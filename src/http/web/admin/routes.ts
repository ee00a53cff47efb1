import type { Hono } from 'hono';
import type { Store } from '../../../storage/store.ts';
import type { HttpEnv } from '../../context.ts';
import type { WebPorts } from '../ports.ts';
import { approvalsPage } from './approvals.ts';
import { auditPage } from './audit.ts';
import { connectionsPage } from './connections.ts';
import { healthPage } from './health.ts';
import { keysPage } from './keys.ts';
import type { AdminPorts } from './ports.ts';
import { createAdminShell } from './shell.ts';
import { spendingPage } from './spending.ts';

/** The pages of the dashboard that only admins see. */
export function adminRoutes(
  app: Hono<HttpEnv>,
  ports: AdminPorts & { readonly store: Store },
  web: WebPorts,
): void {
  const shell = createAdminShell(app, web, ports);
  approvalsPage(shell, ports);
  healthPage(shell, ports);
  spendingPage(shell, ports, web);
  connectionsPage(shell, ports, web);
  auditPage(shell, ports, web);
  keysPage(shell, ports, web);
}
