import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { runDoctor } from '../../src/app/doctor/doctor.ts';
import { listen } from '../fixtures/mcp/harness.ts';
import { startGoogle } from '../helpers/google.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { SERVICE_ACCOUNT, TOPIC } from '../helpers/pubsub.ts';

const findingsSchema = z.array(
  z.object({ check: z.string(), status: z.string(), detail: z.string(), mend: z.string().nullable() }),
);

/** What the doctor says of a check, of a configuration with these servers. */
async function examine(mcpServers: object, env: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const config = join(folder, 'c.yaml');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const printed: string[] = [];
  await runDoctor({
    variables: { COUNTERSIGN_CONFIG: config, DATA_DIR: join(folder, 'data'), ...env },
    bundled: { in_process: [], connector: ['github', 'gmail', 'google-calendar'] },
    json: true,
    print: (text) => void printed.push(text),
  });
  const findings = findingsSchema.parse(JSON.parse(printed.join('')));
  return (check: string) => findings.find((finding) => finding.check === check);
}

const client = (id: string) => ({ client_id: id, client_secret: 'secret-0123456789' });

it('finds clients of one account that a start would refuse, and names their entries', async () => {
  const about = await examine({
    gmail: { connector: 'gmail', oauth: client('one') },
    'google-calendar': { connector: 'google-calendar', oauth: client('another') },
  });
  expect(about('servers')).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/^oauth of "google-calendar" under mcpServers: people sign in to google /),
  });
});

it('finds a service that is not reached, and a key that nothing reads', async () => {
  const service = createServer((_request, response) => void response.writeHead(404).end());
  onTestFinished(() => void service.close());
  const at = (url: string) => ({ connector: 'github', api_url: url, oauth: client('one') });
  const about = await examine({
    dead: at('http://127.0.0.1:1'),
    private: at('http://10.0.0.1'),
    stray: { ...at(`http://127.0.0.1:${await listen(service)}`), key: 'unused' },
  });
  expect(about('service of dead')).toMatchObject({ status: 'failed' });
  expect(about('service of private')).toMatchObject({
    status: 'failed',
    mend: expect.stringContaining('allow_private_network'),
  });
  expect(about('service of stray')).toMatchObject({
    status: 'warning',
    detail: 'Its key is not used: people sign in to it.',
  });
});

it('finds pushes that can’t come, and says where others have to be sent', async () => {
  const google = await startGoogle();
  const push = { topic: TOPIC, service_account: SERVICE_ACCOUNT };
  const at = (url: string) => ({ connector: 'gmail', api_url: url, oauth: client('one'), push });
  const without = await examine({ gmail: at(google.url) });
  expect(without('push of gmail')).toMatchObject({
    status: 'failed',
    mend: expect.stringContaining('PUBLIC_URL'),
  });
  const about = await examine(
    { gmail: at(google.url), github: { connector: 'github', oauth: client('one'), push } },
    { PUBLIC_URL: 'https://us.test' },
  );
  expect(about('push of github')).toMatchObject({ status: 'warning' });
  expect(about('push of gmail')).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining(
      `to https://us.test/push/gmail, with authentication as ${SERVICE_ACCOUNT} for the audience https://us.test/push/gmail`,
    ),
  });
  const away = await examine({ gmail: at('http://127.0.0.1:1') }, { PUBLIC_URL: 'https://us.test' });
  expect(away('push of gmail')).toMatchObject({ status: 'failed', detail: expect.stringContaining('keys') });
});
