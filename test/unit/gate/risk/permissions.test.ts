import { expect, it } from 'vitest';
import { compilePermissions, permissionsSchema } from '../../../../src/gate/risk/permissions.ts';

const none = {
  enabled: true,
  write_operation: false,
  read_private_data: false,
  read_untrusted_public_data: false,
  acl: 'PUBLIC',
};
const shared = permissionsSchema.parse({
  a: { b_c: { ...none, acl: 'PRIVATE' } },
  builtin: { connect_mail: { ...none, enabled: false } },
  agent: {
    send: { ...none, write_operation: true },
    post_reply: { ...none, write_operation: true },
    drop_all: { ...none, enabled: false },
    read_it: { ...none, read_private_data: true },
    'read-it': { ...none, write_operation: true },
  },
});
const find = compilePermissions({
  shared,
  agents: { bot: permissionsSchema.parse({ a: { b_c: { ...none, enabled: false } } }) },
});

it('an entry of an agent replaces the shared one whole, and no other', () => {
  const tool = { server: 'a', name: 'b_c' };
  expect(find(tool, 'bot')).toMatchObject({ isEnabled: false, acl: 'PUBLIC' });
  expect(find(tool, 'other')).toMatchObject({ isEnabled: true, acl: 'PRIVATE' });
  expect(find({ server: 'agent', name: 'agent_send' }, 'bot').writes).toBe(true);
});

it('a tool that only reads like another one is unknown', () => {
  const unknown = { isEnabled: true, writes: true, readsPrivate: true, readsUntrusted: true, acl: 'SECRET' };
  for (const tool of [
    { server: 'a_b', name: 'c' },
    { server: 'a', name: 'B_C' },
    { server: 'x', name: 'toString' },
  ]) {
    expect(find(tool, 'other')).toEqual(unknown);
  }
});

it('an unknown function of a program, and a tool of our own, is harmless', () => {
  expect(find({ server: 'agent', name: 'agent_other' }, 'bot')).toMatchObject({
    writes: false,
    acl: 'PUBLIC',
  });
  expect(find({ server: 'countersign', name: 'connect_other' }, 'bot').isEnabled).toBe(true);
  expect(find({ server: 'countersign', name: 'connect_mail' }, 'bot').isEnabled).toBe(false);
});

it.each(['Post_Reply', 'post-reply', 'postReply', 'ｐｏｓｔ_reply', 'post_reply\u200B', 'post.reply'])(
  'a function has the entry of the one that it is spelled like: %s',
  (name) => {
    expect(find({ server: 'agent', name: `agent_${name}` }, 'bot')).toMatchObject({ writes: true });
  },
);

it('a function or tool that is spelled like a disabled one is disabled, and like several is unknown', () => {
  expect(find({ server: 'agent', name: 'agent_dropAll' }, 'bot').isEnabled).toBe(false);
  expect(find({ server: 'a', name: 'B-C' }, 'bot').isEnabled).toBe(false);
  expect(find({ server: 'a', name: 'B-C' }, 'other').isEnabled).toBe(true);
  const several = find({ server: 'agent', name: 'agent_READ_IT' }, 'bot');
  expect(several).toMatchObject({ isEnabled: true, writes: true, readsPrivate: true, readsUntrusted: true });
});
