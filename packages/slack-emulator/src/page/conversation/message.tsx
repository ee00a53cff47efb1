import { memo, type ReactNode, useCallback, useState } from 'react';
import type { JsonObject } from '../../json.ts';
import type { PageMessage } from '../../server/page-api.ts';
import { Blocks } from '../blocks/block.tsx';
import { readObjects } from '../blocks/block-kit.ts';
import type { FormValues } from '../blocks/form.ts';
import { SurfaceProvider } from '../blocks/surface.tsx';
import { Avatar, displayName, findUser, useWorkspaceState } from '../shell/people.tsx';
import { useReport } from '../shell/toast.tsx';
import { send } from '../state/api.ts';
import { Emoji, Mrkdwn } from '../text/text.tsx';
import { exactTime, timeOfDay } from '../text/time.ts';
import { CONVERSATION } from '../texts.ts';

interface MessageProps {
  readonly message: PageMessage;
  /** Follows one of the same person closely: without picture and name. */
  readonly compact: boolean;
  readonly onReply?: (ts: string) => void;
  readonly children?: ReactNode;
}

/** One message, with its blocks live: what is clicked or chosen in them goes to the app. */
export const Message = memo(function Message({ message, compact, onReply, children }: MessageProps) {
  const workspace = useWorkspaceState();
  const author = findUser(workspace, message.user);
  return (
    <article
      className={`message${compact ? ' message-compact' : ''}${message.ephemeral ? ' message-ephemeral' : ''}`}
      aria-label={`${displayName(author)}, ${timeOfDay(message.ts)}`}
      data-ts={message.ts}
    >
      <div className="message-gutter">
        {compact ? <Time ts={message.ts} text={timeOfDay(message.ts)} /> : <Avatar user={author} />}
      </div>
      <div className="message-main">
        {message.ephemeral && (
          <p className="ephemeral-mark">
            <EyeMark /> {CONVERSATION.onlyYou}
          </p>
        )}
        {!compact && (
          <div className="message-head">
            <bdi className="message-author">{displayName(author)}</bdi>
            {author.isBot && <span className="app-mark">{CONVERSATION.app}</span>}
            <Time ts={message.ts} text={timeOfDay(message.ts)} />
          </div>
        )}
        <MessageBody message={message} />
        {message.edited && !message.streaming && <span className="edited">{CONVERSATION.edited}</span>}
        <Files files={message.files} />
        <Reactions message={message} />
        {children}
      </div>
      {onReply !== undefined && !message.ephemeral && (
        <button type="button" className="message-reply" onClick={() => onReply(message.ts)}>
          {CONVERSATION.replyInThread}
        </button>
      )}
    </article>
  );
});

function MessageBody({ message }: { message: PageMessage }) {
  const { me } = useWorkspaceState();
  const report = useReport();
  const [edits, setEdits] = useState<FormValues>({});
  const sendAction = useCallback(
    (blockId: string, actionId: string, fields: JsonObject, values: FormValues) =>
      report(
        send('click', {
          user: me.id,
          channel: message.channel,
          message_ts: message.ts,
          block_id: blockId,
          action_id: actionId,
          ...fields,
          state: { values },
        }),
      ),
    [me.id, message.channel, message.ts, report],
  );
  return (
    <div
      className={`message-body${message.streaming ? ' is-streaming' : ''}${isCard(message) ? ' is-card' : ''}`}
      aria-busy={message.streaming}
    >
      {message.blocks.length === 0 ? (
        <Mrkdwn source={message.text} />
      ) : (
        <SurfaceProvider blocks={message.blocks} edits={edits} onEdits={setEdits} onAction={sendAction}>
          <Blocks blocks={message.blocks} />
        </SurfaceProvider>
      )}
    </div>
  );
}

/** What asks for a decision or tells of one stands in a frame, so that cards in a row stay apart. */
function isCard({ blocks }: PageMessage): boolean {
  const types = readObjects(blocks).map(({ type }) => type);
  // One that was decided has no buttons any more; what people and models write has one rich text at most.
  const isDecided = types.filter((type) => type === 'rich_text').length > 1;
  return isDecided || types.includes('header') || types.includes('actions');
}

function Time({ ts, text }: { ts: string; text: string }) {
  return (
    <time className="message-time" title={exactTime(ts)}>
      {text}
    </time>
  );
}

function Files({ files }: { files: PageMessage['files'] }) {
  return files.map((file) => {
    const url = `/workspace/files/${encodeURIComponent(file.id)}`;
    const title = file.title === '' ? file.name : file.title;
    if (file.isDeleted) {
      return (
        <p key={file.id} className="file file-deleted">
          {CONVERSATION.fileDeleted}
        </p>
      );
    }
    return file.mimetype.startsWith('image/') ? (
      <figure key={file.id} className="block-image">
        <figcaption>{title}</figcaption>
        <img className="picture" src={url} alt={title} />
      </figure>
    ) : (
      <div key={file.id} className="file">
        <a href={url} download={file.name}>
          <strong>
            <bdi>{title}</bdi>
          </strong>
          <small>{formatFileSize(file.size)}</small>
        </a>
        <DeleteFile file={file} />
      </div>
    );
  });
}

/** Deletes a file of one's own, once one has said yes. */
function DeleteFile({ file }: { file: PageMessage['files'][number] }) {
  const { me } = useWorkspaceState();
  const report = useReport();
  if (file.user !== me.id) return null;
  return (
    <button
      type="button"
      className="file-delete"
      aria-label={CONVERSATION.deleteFile(file.name)}
      title={CONVERSATION.deleteFile(file.name)}
      onClick={() => {
        if (window.confirm(CONVERSATION.deleteFileAsks(file.name)))
          report(send('delete-file', { user: me.id, file: file.id }));
      }}
    >
      ×
    </button>
  );
}

function formatFileSize(bytes: number): string {
  const { fileSize } = CONVERSATION;
  if (bytes < 1000) return fileSize.bytes(bytes);
  return bytes < 1_000_000
    ? fileSize.kilobytes(String(Math.round(bytes / 1000)))
    : fileSize.megabytes((bytes / 1_000_000).toFixed(1));
}

function Reactions({ message }: { message: PageMessage }) {
  const workspace = useWorkspaceState();
  if (message.reactions.length === 0) return null;
  return (
    <ul className="reactions" aria-label={CONVERSATION.reactions}>
      {message.reactions.map(({ name, users }) => (
        <li
          key={name}
          className={users.includes(workspace.me.id) ? 'reaction reaction-mine' : 'reaction'}
          title={users.map((id) => displayName(findUser(workspace, id))).join(', ')}
        >
          <Emoji name={name} /> {users.length}
        </li>
      ))}
    </ul>
  );
}

function EyeMark() {
  return (
    <svg viewBox="0 0 16 16" className="eye-mark" aria-hidden="true" focusable="false">
      <path d="M1 8s2.500-4.500 7-4.500S15 8 15 8s-2.500 4.500-7 4.500S1 8 1 8Z" />
      <circle cx="8" cy="8" r="2" />
    </svg>
  );
}
