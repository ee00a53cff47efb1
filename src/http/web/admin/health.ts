import { html } from 'hono/html';
import type { Deadlines } from '../../../gate/index.ts';
import { StoreError } from '../../../lib/errors.ts';
import { describeWait } from '../../../presentation/approval-suggestions.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { QueueDepth } from '../../../storage/queue-depth.ts';
import { instant } from '../pages/instant.ts';
import type { Html } from '../pages/layout.ts';
import { card, table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import type { AdminShell } from './shell.ts';
import { HEALTH } from './texts.ts';

/** How it all is: what waits and since when, what `/readyz` checks, and the servers. */
export function healthPage(shell: AdminShell, ports: AdminPorts): void {
  shell.show('health', async () => {
    const [queues, checks, held, deadlines] = await Promise.all([
      // All else is told while the store is down.
      ports.queues().catch(() => null),
      runChecks(ports),
      ports.held().catch(ignoreStore),
      ports.gate.calls.deadlines(SOON_MS).catch(ignoreStore),
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
      .map(({ name, state, since, version, error, toolCount, omitted }) => [
        visible(name),
        HEALTH.states[state],
        instant(since),
        version === undefined ? '–' : visible(clip(oneLine(version), VERSION_LENGTH)),
        error === null ? '–' : visible(error),
        String(toolCount),
        String(held?.find(({ server }) => server === name)?.tools.length ?? 0),
        String(omitted.length),
      ]);
    return {
      body: html`${card(HEALTH.queues, waiting)}
${card(HEALTH.deadlines, deadlineTable(deadlines))}
${card(HEALTH.parts, table({ caption: HEALTH.parts, headings: HEALTH.partHeadings, rows: checks, empty: '' }))}
${card(HEALTH.servers, table({ caption: HEALTH.servers, headings: HEALTH.serverHeadings, rows: servers, empty: HEALTH.noServers }))}`,
    };
  });
}

/** A deadline that is near, in milliseconds. */
const SOON_MS = 3_600_000;
/** The most that is shown of a version: it's the server's text. */
const VERSION_LENGTH = 40;

function deadlineTable(deadlines: Deadlines | null): Html {
  if (deadlines === null) return html`<p class="warning">${HEALTH.storeDown}</p>`;
  const { passed, soon, nextAt } = deadlines;
  const next = nextAt === null ? '–' : instant(nextAt);
  const rows = [
    [HEALTH.deadline.passed, passed.toLocaleString('en-US'), ''],
    [HEALTH.deadline.soon, soon.toLocaleString('en-US'), next],
  ];
  return table({ caption: HEALTH.deadlines, headings: HEALTH.deadlineHeadings, rows, empty: '' });
}

const HEALTH_QUEUES = ['people', 'messages', 'running', 'held', 'calls', 'outbox'] as const;

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

/** Null, while the store can't be read. */
function ignoreStore(error: unknown): null {
  if (error instanceof StoreError) return null;
  throw error;
}
