import { describe, expect, it } from 'vitest';
import { startWorkspace, webClient } from './helpers/workspace.ts';

const refusal = (error: string) =>
  expect.objectContaining({ data: expect.objectContaining({ ok: false, error }) });

describe('validation', () => {
  const header = { type: 'header', text: { type: 'plain_text', text: '' } };
  const modal = { type: 'modal', title: { type: 'plain_text', text: 'Title' }, blocks: [header] };

  it.each([
    ['invalid_blocks', { blocks: [header] }, '/0/text/text'],
    ['invalid_message', { message: { blocks: [header] } }, '/blocks/0/text/text'],
    ['invalid_view', { view: modal }, '/blocks/0/text/text'],
  ])('answers %s with the place', async (error, payload, pointer) => {
    const call = webClient(await startWorkspace()).apiCall('blocks.validate', payload);
    const errors = [expect.objectContaining({ code: 'failed_constraint', pointer })];
    await expect(call).rejects.toMatchObject({ data: { error, errors } });
  });

  it.each([[{}], [{ blocks: [], view: modal }]])('takes exactly one payload: %j', async (payload) => {
    const call = webClient(await startWorkspace()).apiCall('blocks.validate', payload);
    await expect(call).rejects.toEqual(refusal('invalid_arguments'));
  });

  it('of a manifest needs a configuration token', async () => {
    const workspace = await startWorkspace();
    const manifest = { display_information: { name: 'Deployer' } };
    const validate = (token: string) =>
      webClient(workspace, token).apiCall('apps.manifest.validate', { manifest });
    expect(await validate(workspace.configurationToken)).toMatchObject({ ok: true });
    await expect(validate(workspace.botToken)).rejects.toEqual(refusal('not_allowed_token_type'));
  });
});
