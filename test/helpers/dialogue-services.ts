import { z } from 'zod';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import type { DialogueWorld } from './dialogue-world.ts';
import { GITHUB_CLIENT, startGitHub } from './github.ts';
import { GOOGLE_CLIENT, startGoogle } from './google.ts';
import { SLACK_CLIENT, startSlackService } from './slack-service.ts';
import type { StrictService } from './strict-service.ts';

/** The services behind connectors, as they are started, and the connectors that each is behind. */
const SERVICES = {
  github: {
    start: () => startGitHub({ expiresIn: 28_800 }),
    client: GITHUB_CLIENT,
    connectors: ['github'],
  },
  google: {
    start: () => startGoogle(),
    client: GOOGLE_CLIENT,
    connectors: ['gmail', 'google-calendar'],
  },
  slack: {
    start: () => startSlackService({ expiresIn: 43_200 }),
    client: SLACK_CLIENT,
    connectors: ['slack'],
  },
};
export type ServiceName = keyof typeof SERVICES;

export function isService(server: unknown): server is ServiceName {
  return typeof server === 'string' && server in SERVICES;
}

export function startService(name: ServiceName): Promise<StrictService> {
  return SERVICES[name].start();
}

/** The entries of `mcpServers`, under the connectors' names. */
export function serviceEntries(name: ServiceName, { url }: StrictService): Record<string, unknown> {
  const { client, connectors } = SERVICES[name];
  const oauth = { client_id: client.clientId, client_secret: client.clientSecret };
  return Object.fromEntries(connectors.map((connector) => [connector, { connector, api_url: url, oauth }]));
}

const SERVICE = `(?<who>${Object.keys(SERVICES).join('|')})`;

/** What happens at the services behind connectors. */
export const serviceSteps: readonly StepKind[] = [
  // What was written, by whose sign-in it came.
  stepKind(
    new RegExp(`^${SERVICE} wrote down$`),
    z.record(z.string(), z.array(z.string())),
    (world, { who, value }) => {
      const writes = serviceOf(world, who)
        .seen()
        .filter(({ method }) => method !== 'GET');
      const told = Object.groupBy(writes, ({ login }) => login);
      const lines = Object.entries(told).map(([login, its = []]) => [
        login,
        // Its ids are made up anew each time.
        its.map(({ method, path }) => `${method} ${path.replace(/\bmsg_[\w-]{16}/, 'MAIL')}`),
      ]);
      const found: unknown = Object.fromEntries(lines);
      if (JSON.stringify(found) !== JSON.stringify(value)) {
        throw new Error(`It wrote down ${JSON.stringify(found)}.`);
      }
    },
  ),
  stepKind(
    /^a mail comes to (?<who>ana|bob) at google$/,
    z.object({ from: z.string(), subject: z.string(), text: z.string(), id: z.string().optional() }),
    async (world, { who, value: { from, subject, text, id } }) => {
      const named = id === undefined ? '' : `Message-ID: <${id}>\r\n`;
      const mail = `${named}From: ${from}\r\nTo: ${who}@example.com\r\nSubject: ${subject}\r\n\r\n${text}`;
      const message = { raw: Buffer.from(mail).toString('base64url'), labelIds: ['INBOX', 'UNREAD'] };
      await serviceOf(world, 'google').ask(who, 'POST', '/gmail/v1/users/me/messages', message);
    },
  ),
  stepKind(/^(?<who>ana|bob) adds an event at google$/, z.string(), async (world, { who, value }) => {
    const [start, end] = ['2026-12-01T16:00:00Z', '2026-12-01T17:00:00Z'].map((dateTime) => ({ dateTime }));
    const event = { summary: value, start, end };
    await serviceOf(world, 'google').ask(who, 'POST', '/calendar/v3/calendars/primary/events', event);
  }),
  stepKind(new RegExp(`^${SERVICE} is busy for$`), z.int(), (world, { who, value }) =>
    serviceOf(world, who).beBusy(value),
  ),
  stepKind(new RegExp(`^${SERVICE} loses its next answer$`), nothing, (world, { who }) =>
    serviceOf(world, who).loseNextAnswer(),
  ),
  stepKind(new RegExp(`^the tokens of ${SERVICE} end$`), nothing, (world, { who }) =>
    serviceOf(world, who).expireAccess(),
  ),
  stepKind(new RegExp(`^the consent at ${SERVICE} is withdrawn$`), nothing, (world, { who }) =>
    serviceOf(world, who).forgetAll(),
  ),
];

function serviceOf({ services }: DialogueWorld, name: string): StrictService {
  const service = isService(name) && services.get(name);
  if (!service) throw new Error(`The dialogue does not have ${name}.`);
  return service;
}
