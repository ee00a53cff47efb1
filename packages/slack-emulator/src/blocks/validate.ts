import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { blocksOn, type Surface, viewFrame } from './schemas.ts';
import { blockElements } from './walk.ts';

/** The most characters that the texts of one message's blocks may have together. */
const MESSAGE_CHARACTERS = 13_200;
const MARKDOWN_CHARACTERS = 12_000;
const VIEW_BYTES = 250_000;

export interface BlockProblems {
  readonly error: 'invalid_blocks' | 'msg_blocks_too_long';
  readonly messages: readonly string[];
}

/**
 * Everything that Slack would refuse about a message's blocks, or null.
 * `messages` are like Slack's: `[ERROR] reason [json-pointer:/blocks/0/…]`.
 */
export function validateBlocks(blocks: Json, surface: Surface, root = '/blocks'): BlockProblems | null {
  const messages = shapeProblems(blocksOn[surface], blocks, root);
  if (Array.isArray(blocks)) messages.push(...duplicateProblems(blocks.filter(isJsonObject), root));
  if (messages.length > 0) return { error: 'invalid_blocks', messages };
  if (surface !== 'message' || !Array.isArray(blocks)) return null;
  const markdown = blocks.filter((block) => isJsonObject(block) && block.type === 'markdown');
  if (charactersIn(markdown) > MARKDOWN_CHARACTERS) {
    return {
      error: 'msg_blocks_too_long',
      messages: [problem('markdown must be less than 12001 characters', root)],
    };
  }
  if (charactersIn(blocks) > MESSAGE_CHARACTERS) {
    return { error: 'msg_blocks_too_long', messages: [problem('blocks hold too much text', root)] };
  }
  return null;
}

export interface ViewProblems {
  readonly error: 'invalid_arguments' | 'view_too_large';
  readonly messages: readonly string[];
}

/** Everything that Slack would refuse about a modal or Home view, or null. */
export function validateView(view: Json, root = '/view'): ViewProblems | null {
  if (!isJsonObject(view) || (view.type !== 'modal' && view.type !== 'home')) {
    return { error: 'invalid_arguments', messages: [problem('must be a modal or home view', root)] };
  }
  const type = view.type;
  const messages = shapeProblems(viewFrame[type], view, root);
  const blocks = view.blocks ?? null;
  messages.push(...(validateBlocks(blocks, type, `${root}/blocks`)?.messages ?? []));
  const hasInput =
    Array.isArray(blocks) && blocks.some((block) => isJsonObject(block) && block.type === 'input');
  if (type === 'modal' && hasInput && view.submit === undefined) {
    messages.push(problem('missing required field: submit', root));
  }
  if (messages.length > 0) return { error: 'invalid_arguments', messages };
  const bytes = Buffer.byteLength(JSON.stringify(view));
  if (bytes > VIEW_BYTES)
    return { error: 'view_too_large', messages: [problem('view is larger than 250 kB', root)] };
  return null;
}

function shapeProblems(schema: z.ZodType, value: Json, root: string): string[] {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.flatMap((issue) => issueMessages(issue, root));
}

function issueMessages(issue: z.core.$ZodIssue, root: string): string[] {
  const at = [root, ...issue.path.map(String)].join('/');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => problem(`no additional properties allowed: ${key}`, at));
    case 'too_big':
      return [
        issue.origin === 'array'
          ? problem(`no more than ${issue.maximum} items allowed`, at)
          : problem(`must be less than ${Number(issue.maximum) + 1} characters`, at),
      ];
    case 'too_small':
      return [
        issue.origin === 'array'
          ? problem(`no less than ${issue.minimum} items allowed`, at)
          : problem(`must be more than ${Number(issue.minimum) - 1} characters`, at),
      ];
    case 'invalid_union': {
      if (issue.discriminator !== undefined) return [problem('unsupported type', at)];
      const closest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? [];
      return closest.flatMap((inner) => issueMessages(inner, at));
    }
    default:
      return [problem(issue.message, at)];
  }
}

function duplicateProblems(blocks: readonly JsonObject[], root: string): string[] {
  const messages: string[] = [];
  const blockIds = blocks.map((block) => block.block_id).filter((it) => typeof it === 'string');
  for (const id of repeated(blockIds)) messages.push(problem(`block_id already exists: ${id}`, root));
  for (const [index, block] of blocks.entries()) {
    const actionIds = blockElements(block).map((it) => it.action_id);
    for (const id of repeated(actionIds.filter((it) => typeof it === 'string'))) {
      messages.push(problem(`action_id already exists: ${id}`, `${root}/${index}`));
    }
  }
  return messages;
}

function repeated(ids: readonly string[]): Set<string> {
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
}

function charactersIn(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + charactersIn(item), 0);
  if (!isJsonObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, child]) =>
      sum + (key === 'text' && typeof child === 'string' ? child.length : charactersIn(child)),
    0,
  );
}

function problem(reason: string, at: string): string {
  return `[ERROR] ${reason} [json-pointer:${at}]`;
}
