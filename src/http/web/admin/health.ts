import { html } from 'hono/html';
import { StoreError } from '../../../lib/errors.ts';
import { describeWait } from '../../../presentation/approval-suggestions.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { QueueDepth } from '../../../storage/queue-depth.ts';
import { card, table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import type { AdminShell } from './shell.ts';
import { HEALTH } from './texts.ts';

/** How it all is: what waits and since when, what `/readyz` checks, and the servers. */
export function healthPage(shell: AdminShell, ports: AdminPorts): void {
  shell.show('health', async () => {
    const [queues, checks, held] = await Promise.all([
      // All else is told while the store is down.
      ports.queues().catch(() => null),
      runChecks(ports),
      ports.held().catch(ignoreStore),
    ]);
    const age = ({ count, oldestAt }: QueueDepth) => [
      count.toLocaleString('en-US'),
      oldestAt === null ? '–' : describeWait(Math.max(0, ports.clock() - oldestAt)),
    ];
    const waiting =
      queues === null
        ? html`<p class="warning">${HEALTH.storeDown}</p>`
        : table({
            caption: HEALTH.queues,
            headings: HEALTH.queueHeadings,
            rows: HEALTH_QUEUES.map((name) => [HEALTH.queue[name], ...age(queues[name])]),
            empty: '',
          });
    const servers = ports
      .servers()
      .map(({ name, state, error, toolCount, omitted }) => [
        visible(name),
        HEALTH.states[state],
        error === null ? '–' : visible(error),
        String(toolCount),
        String(held.find(({ server }) => server === name)?.tools.length ?? 0),
        String(omitted.length),
      ]);
    return {
      body: html`${card(HEALTH.queues, waiting)}
${card(HEALTH.parts, table({ caption: HEALTH.parts, headings: HEALTH.partHeadings, rows: checks, empty: '' }))}
${card(HEALTH.servers, table({ caption: HEALTH.servers, headings: HEALTH.serverHeadings, rows: servers, empty: HEALTH.noServers }))}`,
    };
  });
}

const HEALTH_QUEUES = ['messages', 'running', 'held', 'calls', 'outbox'] as const;

async function runChecks({ checks, queues }: Pick<AdminPorts, 'checks' | 'queues'>) {
  const store = await queues().then(
    () => ({ ok: true, detail: HEALTH.answers }),
    () => ({ ok: false, detail: HEALTH.storeDown }),
  );
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await check()] as const),
  );
  return [['store', store] as const, ...found].map(([name, { ok, detail }]) => [
    HEALTH.check(name),
    ok ? HEALTH.ok : HEALTH.notOk,
    visible(detail),
  ]);
}

/** Nothing, while the store can't be read. */
function ignoreStore(error: unknown): readonly [] {
  if (error instanceof StoreError) return [];
  throw error;
}
