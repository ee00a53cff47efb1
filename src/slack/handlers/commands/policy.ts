import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { ApproverRef } from '../../../gate/types.ts';
import { parseApproverRef } from '../../../gate/types.ts';
import { suggestName } from '../../../lib/config-errors/did-you-mean.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { clip } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import type { ToolDefinition } from '../../../tools/ports.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { type Message, preformatted, richText } from '../../text/block-kit.ts';
import { listMessage } from '../../text/list-message.ts';
import { POLICY } from '../../texts/commands.ts';
import type { HandlerPorts } from '../ports.ts';

/** How much of a message Slack shows without folding it, in characters. */
const LENGTH = 2_800;

const argumentsSchema = z.custom<JsonObject>(isJsonObject);

/**
 * The answer to `/countersign policy`: the rules. With `server.tool {…}`: which rule applies to that call and
 * why, or that there is no such tool.
 * @param words the text after `policy`.
 */
export async function policyText(
  ports: Pick<HandlerPorts, 'policy' | 'policyPeople' | 'directory' | 'servers' | 'tools' | 'reviews'>,
  words: string,
): Promise<Message<KnownBlock>> {
  const { policy } = ports;
  const asked = words.trim();
  if (asked === '') return lines(POLICY.title, policy(null, await namesIn(ports)));
  const [, server, tool, json = '{}'] = /^([^.\s]+)\.(\S+)\s*(\{.*\})?$/s.exec(asked) ?? [];
  const args = argumentsSchema.safeParse(parsed(json));
  if (server === undefined || tool === undefined || !args.success) {
    return plainLine(POLICY.how);
  }
  const offered = await ports.tools();
  const [names, unknown] = await Promise.all([namesIn(ports), whyUnknown(ports, offered, server, tool)]);
  const isNew = offered.find((one) => one.server === server && one.name === tool)?.isNew;
  const found = policy({ server, tool, arguments: args.data, isNew }, names);
  return lines(`${server}.${tool}`, unknown === null ? found : [unknown, POLICY.allTheSame, '', ...found]);
}

/** What the policy decides on besides tools: a server's requests to the model, and the use of its prompts. */
const BESIDES_TOOLS: readonly string[] = ['sampling', 'get_prompt'];

/** Why there can be no such call, with the name that was probably meant; null when there can, or may. */
async function whyUnknown(
  { servers, reviews }: Pick<HandlerPorts, 'servers' | 'reviews'>,
  offered: readonly ToolDefinition[],
  server: string,
  tool: string,
): Promise<string | null> {
  if (offered.some((one) => one.server === server && one.name === tool)) return null;
  const status = servers().find(({ name }) => name === server);
  if (status && BESIDES_TOOLS.includes(tool)) return null;
  if (status?.state === 'up' || status?.state === 'idle') {
    const held = (await reviews.held()).filter((one) => one.server === server).flatMap((one) => one.tools);
    if (held.some(({ name }) => name === tool)) {
      return POLICY.held(`${server}.${tool}`);
    }
    return POLICY.noTool(server, tool, meant(`${server}.${tool}`, offered));
  }
  if (status) return POLICY.notConnected(server, tool);
  return POLICY.noServer(server, meant(`${server}.${tool}`, offered));
}

function meant(subject: string, offered: readonly ToolDefinition[]): string {
  const near = suggestName(
    subject,
    offered.map(({ server, name }) => `${server}.${name}`),
  );
  return near === null ? '' : POLICY.didYouMean(near);
}

/** The names of the approvers whom the policy names. */
async function namesIn({ policyPeople, directory }: Pick<HandlerPorts, 'policyPeople' | 'directory'>) {
  const named = await Promise.all(
    policyPeople.map(async (ref) => {
      const approver = parseApproverRef(ref);
      if (approver.kind === 'user') return [ref, await directory.nameOf(approver.id)] as const;
      return [ref, approver.kind === 'group' ? (await directory.group(approver.id)).name : ref] as const;
    }),
  );
  const names = new Map<ApproverRef, string>(named);
  return (ref: ApproverRef) => names.get(ref) ?? ref;
}

function lines(title: string, found: readonly string[]): Message<KnownBlock> {
  const shown = clip(visible(found.join('\n')), LENGTH);
  return listMessage(title, [richText('policy', preformatted(shown))]);
}

function parsed(json: string): unknown {
  try {
    // Slack turns typed quotes into typographic ones.
    return JSON.parse(json.replaceAll(/[\u201c\u201d]/g, '"'));
  } catch {
    return null;
  }
}
