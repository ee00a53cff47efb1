import { FakeListChatModel } from '@langchain/core/utils/testing';
import { expect, it, vi } from 'vitest';
import { createBinding } from '../../../../src/agents/shared/bind-tools.ts';
import { createEvent, question } from '../../../helpers/gate.ts';

it('binds the same tools once, and others anew', () => {
  const model = new FakeListChatModel({ responses: [] });
  const bind = vi.fn(() => new FakeListChatModel({ responses: [] }));
  const bindTools = createBinding(Object.assign(model, { bindTools: bind }));
  const [one, two] = [createEvent, question];
  const bound = bindTools([one]);
  expect(bindTools([one])).toBe(bound);
  expect(bind).toHaveBeenCalledOnce();
  expect(bindTools([one, two])).not.toBe(bound);
  expect(bindTools([two, one])).not.toBe(bound);
  expect(bind).toHaveBeenCalledTimes(3);
  const named = ({ modelName }: typeof one) =>
    expect.objectContaining({ function: expect.objectContaining({ name: modelName }) });
  expect(bind).toHaveBeenLastCalledWith([named(two), named(one)], {});
  bindTools([two, one], { isForced: true });
  expect(bind).toHaveBeenLastCalledWith([named(two), named(one)], { tool_choice: 'required' });
});
