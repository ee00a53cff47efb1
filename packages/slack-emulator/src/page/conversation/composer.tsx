import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { readString } from '../blocks/block-kit.ts';
import { displayName, useWorkspaceState } from '../shell/people.tsx';
import { useReport } from '../shell/toast.tsx';
import { NotSentError, randomId, send } from '../state/api.ts';
import { COMPOSER, CONNECTION } from '../texts.ts';
import { AttachButton, AttachedFiles, dropTarget, fileKey, useAttachments } from './attachments.tsx';
import { type Completion, completionAt, readTyped, type Suggestion, withMentions } from './compose-text.ts';

interface ComposerProps {
  readonly channel: string;
  /** Null writes into the channel itself. */
  readonly threadTs: string | null;
  readonly placeholder: string;
  /** Whether writing here reaches the app only when it is mentioned. */
  readonly offersMention: boolean;
  /** A text to put in, such as an example that was clicked; `onInserted` says that it is in. */
  readonly inserted?: string | null;
  readonly onInserted?: () => void;
  readonly onPosted?: (ts: string, text: string) => void;
}

/** Where one writes: Enter sends, Shift+Enter begins a line, `@` and `/` suggest. */
export function Composer(props: ComposerProps) {
  const { channel, threadTs, placeholder, offersMention, inserted = null, onInserted, onPosted } = props;
  const workspace = useWorkspaceState();
  const { me, bot, users, channels } = workspace;
  const report = useReport();
  const listId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const unanswered = useRef<{ readonly what: string; readonly id: string } | null>(null);
  const [draft, setDraft] = useDraft(`draft:${me.id}:${channel}:${threadTs ?? ''}`);
  const [completion, setCompletion] = useState<Completion | null>(null);
  const [marked, setMarked] = useState(0);
  const attachments = useAttachments();
  const isEmpty = draft.trim() === '' && attachments.files.length === 0;

  useEffect(() => {
    if (inserted === null) return;
    setDraft(inserted);
    field.current?.focus();
    onInserted?.();
  }, [inserted, setDraft, onInserted]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    // On a phone the field may be hidden behind the channels or a thread, and measure nothing.
    if (current.scrollHeight > 0) current.style.height = `${current.scrollHeight}px`;
  }, [draft]);

  function change(text: string, caret: number): void {
    setDraft(text);
    setCompletion(completionAt(text, caret, workspace));
    setMarked(0);
  }

  function take({ insert }: Suggestion): void {
    const caret = field.current?.selectionStart ?? draft.length;
    setDraft(draft.slice(0, completion?.from ?? caret) + insert + draft.slice(caret));
    setCompletion(null);
    field.current?.focus();
  }

  async function submit(): Promise<void> {
    if (isEmpty) return;
    try {
      await sendDraft();
    } catch (error) {
      setDraft(draft);
      attachments.restore(attachments.files);
      throw error instanceof NotSentError ? new NotSentError(error, CONNECTION.kept) : error;
    }
  }

  async function sendDraft(): Promise<void> {
    const typed = readTyped(draft);
    if (typed.kind === 'command') {
      if (threadTs !== null) throw new Error(COMPOSER.noCommandsInThreads);
      const text = withMentions(typed.text, [bot, ...users], channels);
      await send('command', { user: me.id, channel, command: typed.command, text });
      setDraft('');
      return;
    }
    const text = withMentions(typed.text, [bot, ...users], channels);
    const what = JSON.stringify([text, attachments.files.map(fileKey)]);
    // What is sent again for want of an answer may have come: then it is the same message.
    if (unanswered.current?.what !== what) unanswered.current = { what, id: randomId() };
    const message = unanswered.current;
    setDraft('');
    // Before the upload, so that what is attached in the meantime stays.
    attachments.clear();
    const files = await attachments.upload(me.id);
    const posted = await send('post', {
      user: me.id,
      channel,
      text,
      client_msg_id: message.id,
      ...(threadTs === null ? {} : { thread_ts: threadTs }),
      ...(files.length > 0 && { files }),
    });
    if (unanswered.current === message) unanswered.current = null;
    onPosted?.(readString(posted.ts), text);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (usedBySuggestions(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    setCompletion(null);
    report(submit());
  }

  /** Gives the key to the list of suggestions, if it is open and the key means something there. */
  function usedBySuggestions(key: string): boolean {
    const suggestion = completion?.suggestions[marked];
    if (completion === null || suggestion === undefined) return false;
    const { length } = completion.suggestions;
    if (key === 'ArrowDown') setMarked((marked + 1) % length);
    else if (key === 'ArrowUp') setMarked((marked + length - 1) % length);
    else if (key === 'Escape') setCompletion(null);
    else if (key === 'Tab' || (key === 'Enter' && !isWhole(suggestion))) take(suggestion);
    else return false;
    return true;
  }

  /** A name or command that is already typed out is sent by Enter, not completed once more. */
  function isWhole({ insert }: Suggestion): boolean {
    const typed = draft.slice(completion?.from ?? 0, field.current?.selectionStart);
    return typed.toLowerCase() === insert.trim().toLowerCase();
  }

  return (
    <div className="composer" {...dropTarget(attachments)}>
      {completion !== null && (
        <div className="suggestions" id={listId} role="listbox" aria-label={COMPOSER.suggestions}>
          {completion.suggestions.map((suggestion, index) => (
            <button
              key={suggestion.insert}
              id={`${listId}-${index}`}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              className="suggestion"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(suggestion)}
            >
              <strong>{suggestion.label}</strong>
              <span>{suggestion.detail}</span>
            </button>
          ))}
        </div>
      )}
      <textarea
        ref={field}
        className="composer-field"
        rows={1}
        dir="auto"
        value={draft}
        placeholder={placeholder}
        aria-label={placeholder}
        aria-controls={completion === null ? undefined : listId}
        aria-activedescendant={completion === null ? undefined : `${listId}-${marked}`}
        aria-autocomplete="list"
        onChange={({ target }) => change(target.value, target.selectionStart)}
        onBlur={() => setCompletion(null)}
        onKeyDown={onKeyDown}
      />
      <AttachedFiles attachments={attachments} />
      <div className="composer-bar">
        <AttachButton attachments={attachments} />
        {offersMention && !draft.includes(`@${bot.name}`) && (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => {
              setDraft(`@${bot.name} ${draft}`);
              field.current?.focus();
            }}
          >
            {COMPOSER.mention(displayName(bot))}
          </button>
        )}
        <span className="composer-hint">
          <kbd>{COMPOSER.enter}</kbd>
          {COMPOSER.sends}
          <kbd>{COMPOSER.shift}</kbd>+<kbd>{COMPOSER.enter}</kbd>
          {COMPOSER.newLine}
        </span>
        <button
          type="button"
          className="button button-send"
          aria-label={COMPOSER.send}
          disabled={isEmpty}
          onClick={() => report(submit())}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="M2.500 3.200 17.800 10 2.500 16.800l1.900-5.700L11 10 4.400 8.900z" />
          </svg>
        </button>
      </div>
    </div>
  );
}

/** What was typed and not sent, kept per person and place for as long as the tab lives. */
function useDraft(key: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => ({ key, text: sessionStorage.getItem(key) ?? '' }));
  const text = draft.key === key ? draft.text : (sessionStorage.getItem(key) ?? '');
  const change = useCallback(
    (next: string) => {
      sessionStorage.setItem(key, next);
      setDraft({ key, text: next });
    },
    [key],
  );
  return [text, change];
}
