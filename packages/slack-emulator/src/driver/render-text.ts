import { objects } from '../blocks/walk.ts';
import { optionLabel } from '../interactions/action-input.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { findStateField } from '../workspace/state-values.ts';
import type { StateValues } from '../workspace/types.ts';

/** Anything that shows blocks: a message, a modal, a Home. */
export interface Rendered {
  readonly text?: string;
  readonly blocks: readonly JsonObject[];
  readonly title?: JsonObject | null;
  readonly submit?: JsonObject | null;
  readonly close?: JsonObject | null;
  readonly values?: StateValues;
}

/** The name to show for a user, channel or group id; undefined to show the id. */
type FindName = (id: string) => string | undefined;

const nameless: FindName = () => undefined;

/** What a person reads there, as plain lines: buttons as `[Label]`, inputs as `Label: value`, tables with ` | `. */
export function renderText(shown: Rendered, findName: FindName = nameless): string {
  const values = shown.values ?? {};
  const body =
    shown.blocks.length > 0
      ? shown.blocks.map((block) => renderBlock(block, values, findName))
      : [mrkdwn(shown.text ?? '', findName)];
  const ends = [shown.submit, shown.close].filter(isJsonObject).map((it) => `[${it.text}]`);
  const title = isJsonObject(shown.title) ? [`# ${shown.title.text}`] : [];
  return [...title, ...body, ends.join(' ')].filter((line) => line !== '').join('\n');
}

function renderBlock(block: JsonObject, values: StateValues, findName: FindName): string {
  const inner = (children: Json | undefined) =>
    lines(objects(children).map((it) => renderBlock(it, values, findName)));
  switch (block.type) {
    case 'section': {
      const fields = objects(block.fields).map((it) => renderTextObject(it, findName));
      const accessory = isJsonObject(block.accessory) ? renderElement(block.accessory, block, values) : '';
      return lines([renderTextObject(block.text, findName), ...fields, accessory]);
    }
    case 'header':
    case 'alert':
      return renderTextObject(block.text, findName);
    case 'markdown':
      return mrkdwn(String(block.text), findName);
    case 'context':
      return objects(block.elements)
        .map((it) => (it.type === 'image' ? '' : renderTextObject(it, findName)))
        .filter(Boolean)
        .join(' ');
    case 'actions':
    case 'context_actions':
      return objects(block.elements)
        .map((it) => renderElement(it, block, values))
        .join(' ');
    case 'input':
      return isJsonObject(block.element)
        ? lines([
            `${renderTextObject(block.label, findName)}: ${renderElement(block.element, block, values)}`,
            renderTextObject(block.hint, findName),
          ])
        : '';
    case 'rich_text':
      return richText(block, findName);
    case 'table':
    case 'data_table':
      return lines([
        typeof block.caption === 'string' ? block.caption : '',
        ...rows(block).map((row) => row.map((it) => cell(it, findName)).join(' | ')),
      ]);
    case 'image':
      return `(image: ${block.alt_text})`;
    case 'card':
      return lines([
        renderTextObject(block.title, findName),
        renderTextObject(block.subtitle, findName),
        renderTextObject(block.body, findName),
        objects(block.actions)
          .map((it) => renderElement(it, block, values))
          .join(' '),
      ]);
    case 'carousel':
      return inner(block.elements);
    case 'container':
      return lines([
        renderTextObject(block.title, findName),
        isJsonObject(block.rich_text_title) ? richText(block.rich_text_title, findName) : '',
        renderTextObject(block.subtitle, findName),
        inner(block.child_blocks),
      ]);
    case 'plan':
      return lines([String(block.title), inner(block.tasks)]);
    case 'task_card': {
      const parts = [block.details, block.output].filter(isJsonObject).map((it) => richText(it, findName));
      return lines([`${block.title} (${block.status})`, ...parts]);
    }
    default:
      return '';
  }
}

function renderElement(element: JsonObject, block: JsonObject, values: StateValues): string {
  const field = findStateField(element)?.field;
  if (field !== undefined) {
    const value = values[String(block.block_id)]?.[String(element.action_id)]?.[field] ?? null;
    return `{${valueText(value)}}`;
  }
  switch (element.type) {
    case 'overflow':
      return `[⋯ ${objects(element.options).map(optionLabel).join(' / ')}]`;
    case 'feedback_buttons':
      return [element.positive_button, element.negative_button]
        .filter(isJsonObject)
        .map((it) => `[${optionLabel(it)}]`)
        .join(' ');
    case 'image':
      return `(image: ${element.alt_text})`;
    default:
      return `[${optionLabel(element)}]`;
  }
}

function valueText(value: Json): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (!isJsonObject(value)) return String(value);
  return value.type === 'rich_text' ? richText(value, nameless) : optionLabel(value);
}

function richText(block: JsonObject, findName: FindName): string {
  return lines(
    objects(block.elements).map((part) => {
      if (part.type !== 'rich_text_list')
        return objects(part.elements)
          .map((it) => inline(it, findName))
          .join('');
      return objects(part.elements)
        .map(
          (item, index) =>
            `${part.style === 'ordered' ? `${index + 1}.` : '•'} ${objects(item.elements)
              .map((it) => inline(it, findName))
              .join('')}`,
        )
        .join('\n');
    }),
  );
}

function inline(element: JsonObject, findName: FindName): string {
  switch (element.type) {
    case 'text':
      return String(element.text);
    case 'link':
      return String(element.text ?? element.url);
    case 'user':
      return `@${findName(String(element.user_id)) ?? element.user_id}`;
    case 'channel':
      return `#${findName(String(element.channel_id)) ?? element.channel_id}`;
    case 'usergroup':
      return `@${findName(String(element.usergroup_id)) ?? element.usergroup_id}`;
    case 'broadcast':
      return `@${element.range}`;
    case 'emoji':
      return `:${element.name}:`;
    case 'date':
      return String(element.fallback ?? new Date(Number(element.timestamp) * 1000).toISOString());
    default:
      return '';
  }
}

function renderTextObject(text: Json | undefined, findName: FindName): string {
  if (!isJsonObject(text)) return '';
  return text.type === 'mrkdwn' ? mrkdwn(String(text.text), findName) : String(text.text);
}

/** References by name, links by their label, escapes undone. */
function mrkdwn(text: string, findName: FindName): string {
  return text
    .replace(
      /<([@#])(\w+)(?:\|([^>]*))?>/g,
      (_, sign: string, id: string, label?: string) => `${sign}${findName(id) ?? label ?? id}`,
    )
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<!(\w+)(?:\|[^>]*)?>/g, '@$1')
    .replace(/<((?:https?|mailto):[^|>]*)(?:\|([^>]*))?>/g, (_, url: string, label?: string) => label ?? url)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function rows(block: JsonObject): JsonObject[][] {
  return Array.isArray(block.rows) ? block.rows.map(objects) : [];
}

function cell(it: JsonObject, findName: FindName): string {
  return it.type === 'rich_text' ? richText(it, findName) : String(it.text);
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}
