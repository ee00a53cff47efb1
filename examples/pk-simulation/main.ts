import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createLab, createSimulationServer } from '../../src/app/demo-servers/simulation/index.ts';
import { randomId } from '../../src/lib/clock.ts';

const lab = createLab({ clock: Date.now, ids: randomId });
serveStdio(() => createSimulationServer(lab));
// A job that still runs would keep the process until its end.
process.stdin.once('close', () => process.exit());
