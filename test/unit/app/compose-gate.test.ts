import { pino } from 'pino';
import { expect, it } from 'vitest';
import { compileToolRisk, createGateSide } from '../../../src/app/compose-gate.ts';
import { fileSchema } from '../../../src/config/file.ts';
import type { CallRecord } from '../../../src/gate/call/record.ts';
import { inProcessWakeUps } from '../../../src/runs/index.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';
import { beginning, openGate, proposed } from '../../helpers/gate.ts';
import { membersOnly } from '../../helpers/people.ts';

it('has it looked at once more what a call waits for, as soon as that is on record', async () => {
  const fixture = openGate();
  const { store, clock, validateArguments } = fixture.ports;
  const waiting: CallRecord[] = [];
  const gate = createGateSide({
    file: {
      ...fileSchema.parse({ policy: { rules: [{ name: 'reads', tools: '*.list_*', action: 'allow' }] } }),
      permissions: null,
      servers: {},
    },
    connectors: new Map(),
    inputs: {},
    store,
    clock,
    auditKeys,
    log: pino({ level: 'silent' }),
    validateArguments,
    keepForMs: null,
    people: membersOnly,
    findNews: async () => null,
    access: { refusal: async () => null },
    wakeUps: inProcessWakeUps(),
    surfaces: [],
    homes: { notify: (event) => void (event.type === 'needs_person' && waiting.push(event.call)) },
    waits: { listener: {} },
    metrics: { listener: {} },
    pages: { notify: () => undefined },
  });
  const { call } = await gate.journal.begin(
    beginning(await fixture.fence(), proposed('c1', { name: 'list_events' })),
  );
  await gate.elicitation.block(call, {
    kind: 'oauth_url',
    elicitationId: 'e1',
    url: 'https://example.com/oauth/start',
    message: 'Connect',
    connect: { server: 'calendar', scope: null, resourceMetadataUrl: null },
    tried: null,
  });
  expect(waiting).toMatchObject([{ callId: 'c1', state: 'blocked' }]);
});

it('judges an agent of the team by the entries that are its own, and the others by those of all', () => {
  const entry = (acl: 'PUBLIC' | 'SECRET') => ({
    mail: {
      list_mail: {
        enabled: true,
        write_operation: false,
        read_private_data: true,
        read_untrusted_public_data: false,
        acl,
      },
    },
  });
  const find = compileToolRisk({ shared: entry('PUBLIC'), agents: { reader: entry('SECRET') } });
  const tool = { server: 'mail', name: 'list_mail' };
  expect(find(tool, 'team.reader')).toMatchObject({ acl: 'SECRET' });
  expect(find(tool, 'team.writer')).toMatchObject({ acl: 'PUBLIC' });
  expect(find(tool, 'assistant')).toMatchObject({ acl: 'PUBLIC' });
});
