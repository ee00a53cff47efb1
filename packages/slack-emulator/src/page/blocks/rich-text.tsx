import { Fragment, type ReactNode } from 'react';
import type { JsonObject } from '../../json.ts';
import { ChannelMention, Emoji, SafeLink, UsergroupMention, UserMention } from '../text/text.tsx';
import { formatSlackDate } from '../text/time.ts';
import { readNumber, readObject, readObjects, readString, safeUrl } from './block-kit.ts';

/** A `rich_text` block: sections, lists, quotes and preformatted text. */
export function RichText({ block }: { block: JsonObject }) {
  return <div className="rich-text">{readObjects(block.elements).map(renderPart)}</div>;
}

function renderPart(part: JsonObject, index: number): ReactNode {
  const children = readObjects(part.elements);
  switch (part.type) {
    case 'rich_text_list': {
      const List = part.style === 'ordered' ? 'ol' : 'ul';
      const start = part.style === 'ordered' ? { start: (readNumber(part.offset) ?? 0) + 1 } : {};
      return (
        <List
          key={index}
          {...start}
          className={`rich-list indent-${Math.min(readNumber(part.indent) ?? 0, 5)}`}
        >
          {children.map((item, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: list items have no id and never move by themselves
            <li key={position} dir="auto">
              {readObjects(item.elements).map(renderInline)}
            </li>
          ))}
        </List>
      );
    }
    case 'rich_text_preformatted':
      return (
        <pre key={index}>
          <code>{children.map(renderInline)}</code>
        </pre>
      );
    case 'rich_text_quote':
      return (
        <blockquote key={index} dir="auto">
          {children.map(renderInline)}
        </blockquote>
      );
    default:
      return (
        <div key={index} className="rich-section" dir="auto">
          {children.map(renderInline)}
        </div>
      );
  }
}

function renderInline(element: JsonObject, index: number): ReactNode {
  const text = readString(element.text);
  switch (element.type) {
    case 'text':
      return <Fragment key={index}>{styled(text, readObject(element.style))}</Fragment>;
    case 'link': {
      const url = safeUrl(element.url);
      return url === null ? (
        <Fragment key={index}>{text}</Fragment>
      ) : (
        <SafeLink key={index} url={url} label={text} />
      );
    }
    case 'user':
      return <UserMention key={index} id={readString(element.user_id)} />;
    case 'channel':
      return <ChannelMention key={index} id={readString(element.channel_id)} />;
    case 'usergroup':
      return <UsergroupMention key={index} id={readString(element.usergroup_id)} />;
    case 'emoji':
      return <Emoji key={index} name={readString(element.name)} />;
    case 'broadcast':
      return (
        <span key={index} className="mention mention-me">
          @{readString(element.range)}
        </span>
      );
    case 'date':
      return (
        <Fragment key={index}>
          {formatSlackDate(
            readNumber(element.timestamp) ?? Number.NaN,
            readString(element.format),
            readString(element.fallback),
          )}
        </Fragment>
      );
    case 'color':
      return <code key={index}>{readString(element.value)}</code>;
    default:
      return <Fragment key={index}>{text}</Fragment>;
  }
}

/** Bold texts up to this length are labels, which aren't split over lines, in characters. */
const LONGEST_LABEL = 24;

function styled(text: string, style: JsonObject): ReactNode {
  let node: ReactNode = text;
  if (style.code === true) node = <code>{node}</code>;
  if (style.strike === true) node = <s>{node}</s>;
  if (style.italic === true) node = <em>{node}</em>;
  if (style.bold !== true) return node;
  return <strong className={text.length <= LONGEST_LABEL ? 'rich-label' : undefined}>{node}</strong>;
}
