import { type ReactNode, useEffect, useRef } from 'react';

interface DialogProps {
  readonly label: string;
  readonly className?: string;
  /** Esc, or a click beside the dialog where that may not lose anything. */
  readonly onClose: () => void;
  readonly closeOnBackdrop?: boolean;
  readonly children: ReactNode;
}

/**
 * A modal dialog. The browser's own `<dialog>` keeps the focus inside, makes the rest inert and gives
 * the focus back when it closes.
 */
export function Dialog({ label, className = '', onClose, closeOnBackdrop = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // By itself the browser would take the pane that scrolls.
    const find = (selector: string) => element?.querySelector<HTMLElement>(selector);
    const first =
      find('[data-focus-first]') ?? find('.dialog-body :is(input, select, textarea), .dialog-actions button');
    first?.focus();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes the dialog by the browser's own rule
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (closeOnBackdrop && event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-frame">{children}</div>
    </dialog>
  );
}
