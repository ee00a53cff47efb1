import { withEmoji } from '../text/emoji.ts';
import { objectOf, safeUrl, stringOf, textOf } from './block-kit.ts';
import type { ElementProps } from './draft-values.tsx';
import { elementKey, useSurface } from './surface.tsx';

const STYLES: Readonly<Record<string, string>> = { primary: 'button-primary', danger: 'button-danger' };

/**
 * A button. It is not held back after a click: Slack delivers two clicks for a double click, and so
 * does this page, because the app must bear it.
 */
export function Button({ block, element }: ElementProps) {
  const { act, busy } = useSurface();
  const pending = busy === elementKey(block, element);
  const url = safeUrl(element.url);
  const label = stringOf(element.accessibility_label);
  const attributes = {
    className: `button ${STYLES[stringOf(element.style)] ?? ''}${pending ? ' is-pending' : ''}`,
    'aria-busy': pending,
    ...(label === '' ? {} : { 'aria-label': label }),
    onClick: () => act(block, element, element.value === undefined ? {} : { value: element.value }),
  };
  const text = withEmoji(textOf(element.text));
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
  const { act } = useSurface();
  return (
    <span className="feedback">
      {[element.positive_button, element.negative_button].map(objectOf).map((choice, index) => (
        <button
          key={stringOf(choice.value)}
          type="button"
          className="button button-quiet"
          title={textOf(choice.text)}
          aria-label={stringOf(choice.accessibility_label) || textOf(choice.text)}
          onClick={() => act(block, element, { value: choice.value ?? '' })}
        >
          {index === 0 ? '👍' : '👎'}
        </button>
      ))}
    </span>
  );
}
