import { SlackRefusal } from '../errors.ts';
import type { Json } from '../json.ts';
import { findView, modalStack, publishHome, pushModal, replaceView, viewToJson } from '../workspace/views.ts';
import { type Arguments, optional, required, structured } from './arguments.ts';
import type { Methods } from './method.ts';

export const viewMethods: Methods = {
  'views.open': {
    token: 'bot',
    run: ({ workspace, triggers }, args) => {
      const actor = triggers.exchange(readTrigger(args));
      return { view: viewToJson(workspace, pushModal(workspace, actor, readView(args))) };
    },
  },
  'views.push': {
    token: 'bot',
    run: ({ workspace, triggers }, args) => {
      const actor = triggers.exchange(readTrigger(args));
      if (modalStack(workspace, actor).length === 0) throw new SlackRefusal('not_found');
      return { view: viewToJson(workspace, pushModal(workspace, actor, readView(args))) };
    },
  },
  'views.update': {
    token: 'bot',
    run: ({ workspace }, args) => {
      const id = optional(args, 'view_id');
      const externalId = optional(args, 'external_id');
      if (id === undefined && externalId === undefined) throw new SlackRefusal('invalid_arguments');
      const view = findView(workspace, (it) =>
        id === undefined ? it.externalId === externalId : it.id === id,
      );
      if (view === undefined) throw new SlackRefusal('not_found');
      return {
        view: viewToJson(workspace, replaceView(workspace, view, readView(args), optional(args, 'hash'))),
      };
    },
  },
  'views.publish': {
    token: 'bot',
    run: ({ workspace }, args) => {
      const user = required(args, 'user_id');
      if (!workspace.people.has(user)) throw new SlackRefusal('user_not_found');
      return {
        view: viewToJson(workspace, publishHome(workspace, user, readView(args), optional(args, 'hash'))),
      };
    },
  },
};

function readTrigger(args: Arguments): string {
  return required(args, args.interactivity_pointer === undefined ? 'trigger_id' : 'interactivity_pointer');
}

function readView(args: Arguments): Json {
  return structured(args, 'view', 'invalid_arguments') ?? null;
}
