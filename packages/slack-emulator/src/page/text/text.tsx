import { Fragment, type ReactNode } from 'react';
import { readObject, readString, readText } from '../blocks/block-kit.ts';
import { displayName, findUser, useWorkspaceState } from '../shell/people.tsx';
import { formatRoute, routeOfPermalink } from '../state/route.ts';
import { emojiFor, withEmoji } from './emoji.ts';
import { type Inline, type MrkdwnBlock, parseMrkdwn } from './mrkdwn.ts';
import { formatSlackDate } from './time.ts';

/** A Slack text object, `plain_text` or `mrkdwn`. */
export function TextObject({ value }: { value: unknown }) {
  const { type } = readObject(value);
  return type === 'mrkdwn' ? <Mrkdwn source={readText(value)} /> : <PlainText text={readText(value)} />;
}

/** Text as it stands, with `:emoji:` shown and lines kept. */
export function PlainText({ text }: { text: string }) {
  return (
    <span className="plain-text" dir="auto">
      {withEmoji(text)}
    </span>
  );
}

/** A mrkdwn text. Everything in it becomes text nodes; nothing of it is ever taken as HTML. */
export function Mrkdwn({ source }: { source: string }) {
  return <div className="mrkdwn">{parseMrkdwn(source).map(renderBlock)}</div>;
}

function renderBlock(block: MrkdwnBlock, index: number): ReactNode {
  if (block.kind === 'preformatted') {
    return (
      <pre key={index}>
        <code>{block.text}</code>
      </pre>
    );
  }
  const children = block.children.map(renderInline);
  return block.kind === 'quote' ? (
    <blockquote key={index} dir="auto">
      {children}
    </blockquote>
  ) : (
    <p key={index} dir="auto">
      {children}
    </p>
  );
}

function renderInline(node: Inline, index: number): ReactNode {
  switch (node.kind) {
    case 'text':
      return <Fragment key={index}>{node.text}</Fragment>;
    case 'bold':
      return <strong key={index}>{node.children.map(renderInline)}</strong>;
    case 'italic':
      return <em key={index}>{node.children.map(renderInline)}</em>;
    case 'strike':
      return <s key={index}>{node.children.map(renderInline)}</s>;
    case 'code':
      return <code key={index}>{node.text}</code>;
    case 'link':
      return <SafeLink key={index} url={node.url} label={node.label} />;
    case 'user':
      return <UserMention key={index} id={node.id} label={node.label} />;
    case 'channel':
      return <ChannelMention key={index} id={node.id} label={node.label} />;
    case 'usergroup':
      return <UsergroupMention key={index} id={node.id} label={node.label} />;
    case 'broadcast':
      return (
        <span key={index} className="mention mention-me">
          @{node.label === '' ? node.id.split('^')[0] : node.label.replace(/^@/, '')}
        </span>
      );
    case 'date':
      return <Fragment key={index}>{formatSlackDate(node.seconds, node.format, node.fallback)}</Fragment>;
    case 'emoji':
      return <Emoji key={index} name={node.name} />;
  }
}

export function Emoji({ name }: { name: string }) {
  const character = emojiFor(name);
  if (character === null) return <>:{name}:</>;
  return (
    <span className="emoji" role="img" aria-label={name.replaceAll('_', ' ')} title={`:${name}:`}>
      {character}
    </span>
  );
}

/**
 * A link that was already checked (`safeUrl`): opens beside the page and tells it nothing. One to a thread of this
 * workspace leads there in place.
 */
export function SafeLink({ url, label }: { url: string; label: string }) {
  const inside = routeOfPermalink(url, new URL(location.href));
  if (inside !== null) return <a href={formatRoute(inside)}>{label === '' ? url : label}</a>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {label === '' ? url : label}
    </a>
  );
}

export function UserMention({ id, label = '' }: { id: string; label?: string }) {
  const workspace = useWorkspaceState();
  const user = findUser(workspace, id);
  const mine = id === workspace.me.id ? ' mention-me' : '';
  return (
    <bdi className={`mention${mine}`} title={id}>
      @{user.name === id && label !== '' ? label : displayName(user)}
    </bdi>
  );
}

export function ChannelMention({ id, label = '' }: { id: string; label?: string }) {
  const channel = useWorkspaceState().channels.find((candidate) => candidate.id === id);
  return <bdi className="mention">#{channel?.name ?? (label === '' ? id : readString(label))}</bdi>;
}

export function UsergroupMention({ id, label = '' }: { id: string; label?: string }) {
  const group = useWorkspaceState().usergroups.find((candidate) => candidate.id === id);
  const name = group?.handle ?? (label === '' ? id : label.replace(/^@/, ''));
  return (
    <bdi className="mention" title={id}>
      @{name}
    </bdi>
  );
}
