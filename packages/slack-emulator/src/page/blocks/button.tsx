import { withEmoji } from '../text/emoji.ts';
import { readObject, readString, readText, safeUrl } from './block-kit.ts';
import type { ElementProps } from './draft-values.tsx';
import { elementKey, useSurface } from './surface.tsx';

const STYLES: Readonly<Record<string, string>> = { primary: 'button-primary', danger: 'button-danger' };

/**
 * A button. It is not held back after a click: Slack delivers two clicks for a double click, and so
 * does this page, because the app must bear it.
 */
export function Button({ block, element }: ElementProps) {
  const { sendAction, busy } = useSurface();
  const pending = busy === elementKey(block, element);
  const url = safeUrl(element.url);
  const label = readString(element.accessibility_label);
  const attributes = {
    className: `button ${STYLES[readString(element.style)] ?? ''}${pending ? ' is-pending' : ''}`,
    'aria-busy': pending,
    ...(label === '' ? {} : { 'aria-label': label }),
    onClick: () => sendAction(block, element, element.value === undefined ? {} : { value: element.value }),
  };
  const text = withEmoji(readText(element.text));
  return url === null ? (
    <button type="button" {...attributes}>
      {text}
    </button>
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer" {...attributes}>
      {text}
    </a>
  );
}

/** Thumbs up and down under an answer. */
export function FeedbackButtons({ block, element }: ElementProps) {
  const { sendAction } = useSurface();
  return (
    <span className="feedback">
      {[element.positive_button, element.negative_button].map(readObject).map((choice, index) => (
        <button
          key={readString(choice.value)}
          type="button"
          className="button button-quiet"
          title={readText(choice.text)}
          aria-label={readString(choice.accessibility_label) || readText(choice.text)}
          onClick={() => sendAction(block, element, { value: choice.value ?? '' })}
        >
          {index === 0 ? '👍' : '👎'}
        </button>
      ))}
    </span>
  );
}
