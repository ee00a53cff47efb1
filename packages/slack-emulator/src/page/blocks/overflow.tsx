import { type KeyboardEvent, useId, useRef } from 'react';
import { withEmoji } from '../text/emoji.ts';
import { BLOCK } from '../texts.ts';
import { readOptions, readString, readText, safeUrl } from './block-kit.ts';
import type { ElementProps } from './draft-values.tsx';
import { useSurface } from './surface.tsx';

/** Room between the button and its menu, in pixels. */
const GAP = 4;

/** The ⋯ menu. It is a popover, so it lies over scrolling panes and modals, and Esc closes it alone. */
export function Overflow({ block, element }: ElementProps) {
  const { sendAction } = useSurface();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  function items(): HTMLElement[] {
    return [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  }

  function place(): void {
    if (menu.current === null || button.current === null) return;
    const anchor = button.current.getBoundingClientRect();
    const { offsetHeight, offsetWidth, style } = menu.current;
    const below = anchor.bottom + GAP + offsetHeight <= innerHeight;
    style.top = `${below ? anchor.bottom + GAP : Math.max(GAP, anchor.top - GAP - offsetHeight)}px`;
    style.left = `${Math.max(GAP, Math.min(anchor.left, innerWidth - offsetWidth - 2 * GAP))}px`;
    items()[0]?.focus();
  }

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = items();
    const current = all.findIndex((item) => item.matches(':focus'));
    all.at((current + step) % all.length)?.focus();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="button button-overflow"
        aria-label={readString(element.accessibility_label) || BLOCK.moreActions}
        aria-haspopup="menu"
        popoverTarget={id}
      >
        ⋯
      </button>
      <div
        ref={menu}
        id={id}
        role="menu"
        popover="auto"
        className="menu"
        tabIndex={-1}
        onToggle={(event) => event.newState === 'open' && place()}
        onKeyDown={move}
      >
        {readOptions(element).map((option, index) => (
          <button
            key={readString(option.value) || index}
            type="button"
            role="menuitem"
            className="menu-item"
            onClick={() => {
              menu.current?.hidePopover();
              button.current?.focus();
              const url = safeUrl(option.url);
              if (url !== null) open(url, '_blank', 'noopener,noreferrer');
              sendAction(block, element, { selected_option: option });
            }}
          >
            {withEmoji(readText(option.text))}
            {option.description !== undefined && <small>{readText(option.description)}</small>}
          </button>
        ))}
      </div>
    </>
  );
}
