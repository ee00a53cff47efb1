import { describe, expect, it } from 'vitest';
import { ProcessIsolation } from '../../../../src/mcp/isolation/isolation.ts';
import { hasNamespaces } from '../../../helpers/isolated-host.ts';

function open() {
  const said: string[] = [];
  const note = (_details: object, message: string) => void said.push(message);
  const logger = { info: note, warn: note };
  const isolation = new ProcessIsolation({ strict: false, user: 'node', hidden: [], readOnly: [], logger });
  const plan = (command: string, folders?: { path: string; write: boolean }[]) =>
    isolation.plan('s', {
      command,
      args: [],
      env: {},
      sandbox: { protection: 'namespace', network: true, ...(folders && { folders }) },
    });
  return { said, plan };
}

describe.runIf(hasNamespaces)('a server that can’t be started', () => {
  it('is not said to be isolated', async () => {
    const { said, plan } = open();
    await expect(plan('/nowhere/server')).rejects.toMatchObject({ code: 'mcp_no_program' });
    expect(said).toEqual([]);
    await plan('true');
    expect(said).toEqual(['server is isolated']);
  });

  it('because a folder of its sandbox does not exist, is told of that in words', async () => {
    const { plan } = open();
    await expect(plan('true', [{ path: '/nowhere/here', write: false }])).rejects.toMatchObject({
      code: 'mcp_no_folder',
      userMessage: expect.stringContaining(
        'the folder /nowhere/here (under folders of its sandbox) does not exist',
      ),
    });
  });
});
