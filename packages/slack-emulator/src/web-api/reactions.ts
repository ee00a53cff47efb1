import { SlackRefusal } from '../errors.ts';
import { changeMessage } from '../workspace/messages.ts';
import type { Message, Workspace } from '../workspace/types.ts';
import { type Arguments, required } from './arguments.ts';
import { type Methods, openChannel, visibleMessage } from './method.ts';

export const reactionMethods: Methods = {
  'reactions.add': {
    token: 'bot',
    scope: 'reactions:write',
    run: ({ workspace }, args) => {
      const { message, name, mine } = reaction(workspace, args);
      if (mine) throw new SlackRefusal('already_reacted');
      const others = message.reactions.filter((it) => it.name !== name);
      const users = message.reactions.find((it) => it.name === name)?.users ?? [];
      changeMessage(workspace, message, {
        reactions: [...others, { name, users: [...users, workspace.app.botUserId] }],
      });
      return {};
    },
  },
  'reactions.remove': {
    token: 'bot',
    scope: 'reactions:write',
    run: ({ workspace }, args) => {
      const { message, name, mine } = reaction(workspace, args);
      if (!mine) throw new SlackRefusal('no_reaction');
      const reactions = message.reactions
        .map((it) =>
          it.name === name
            ? { name, users: it.users.filter((user) => user !== workspace.app.botUserId) }
            : it,
        )
        .filter((it) => it.users.length > 0);
      changeMessage(workspace, message, { reactions });
      return {};
    },
  },
};

function reaction(workspace: Workspace, args: Arguments): { message: Message; name: string; mine: boolean } {
  const name = required(args, 'name', 'no_reaction');
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new SlackRefusal('invalid_name');
  const channel = openChannel(workspace, required(args, 'channel', 'no_item_specified'));
  const message = visibleMessage(workspace, channel, required(args, 'timestamp', 'no_item_specified'));
  const users = message.reactions.find((it) => it.name === name)?.users ?? [];
  return { message, name, mine: users.includes(workspace.app.botUserId) };
}
