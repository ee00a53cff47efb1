import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { JsonObject } from '../../json.ts';
import { Dialog } from '../shell/dialog.tsx';
import { PlainText, TextObject } from '../text/text.tsx';
import { SHELL } from '../texts.ts';
import { readString, readText } from './block-kit.ts';
import { type FormValues, formValues, withEdit } from './form.ts';

/** What a block needs of the message, modal or Home that it stands in. */
interface Surface {
  readonly values: FormValues;
  /** block_id → what is wrong with it. */
  readonly errors: Readonly<Record<string, string>>;
  readonly edit: (blockId: string, actionId: string, value: JsonObject) => void;
  /** `elementKey` of the element that was used a moment ago and has not been answered yet. */
  readonly busy: string | null;
  /** Tells the app that the element was used; asks first if the element has a `confirm`. */
  readonly sendAction: (block: JsonObject, element: JsonObject, fields: JsonObject) => void;
}

/** How long a used element looks pending when the message does not change, in milliseconds. */
const BUSY_FOR_MS = 900;

export function elementKey(block: JsonObject, element: JsonObject): string {
  return `${readString(block.block_id)}/${readString(element.action_id)}`;
}

const SurfaceContext = createContext<Surface | null>(null);

/** The surface around a block. Throws outside of `SurfaceProvider`. */
export function useSurface(): Surface {
  const surface = useContext(SurfaceContext);
  if (surface === null) throw new Error('useSurface needs a SurfaceProvider around it');
  return surface;
}

interface SurfaceProviderProps {
  readonly blocks: readonly unknown[];
  readonly edits: FormValues;
  readonly onEdits: (change: (edits: FormValues) => FormValues) => void;
  readonly errors?: Readonly<Record<string, string>>;
  /** `fields` is what the app gets of the element: `value`, `selected_option`, … */
  readonly onAction: (blockId: string, actionId: string, fields: JsonObject, values: FormValues) => void;
  readonly children: ReactNode;
}

const NO_ERRORS = {};

interface Asked {
  readonly confirm: JsonObject;
  readonly run: () => void;
}

export function SurfaceProvider(props: SurfaceProviderProps) {
  const { blocks, edits, onEdits, errors = NO_ERRORS, onAction, children } = props;
  const [asked, setAsked] = useState<Asked | null>(null);
  const values = useMemo(() => formValues(blocks, edits), [blocks, edits]);
  const [busy, setBusy] = useState<{ key: string; blocks: readonly unknown[] } | null>(null);
  useEffect(() => {
    if (busy === null) return;
    const timer = setTimeout(() => setBusy(null), busy.blocks === blocks ? BUSY_FOR_MS : 0);
    return () => clearTimeout(timer);
  }, [busy, blocks]);
  const edit = useCallback(
    (blockId: string, actionId: string, value: JsonObject) =>
      onEdits((before) => withEdit(before, blockId, actionId, value)),
    [onEdits],
  );
  const sendAction = useCallback(
    (block: JsonObject, element: JsonObject, fields: JsonObject) => {
      const blockId = readString(block.block_id);
      const actionId = readString(element.action_id);
      // The element that was just changed reports its new value in the state too.
      const type = readString(element.type);
      const changed =
        values[blockId]?.[actionId] === undefined
          ? edits
          : withEdit(edits, blockId, actionId, { type, ...fields });
      const run = () => {
        setBusy({ key: elementKey(block, element), blocks });
        onAction(blockId, actionId, fields, formValues(blocks, changed));
      };
      const { confirm } = element;
      if (typeof confirm === 'object' && confirm !== null && !Array.isArray(confirm))
        setAsked({ confirm, run });
      else run();
    },
    [blocks, edits, values, onAction],
  );
  const surface = useMemo(
    () => ({ values, errors, busy: busy?.key ?? null, edit, sendAction }),
    [values, errors, busy, edit, sendAction],
  );
  return (
    <SurfaceContext.Provider value={surface}>
      {children}
      {asked !== null && <ConfirmDialog asked={asked} onDone={() => setAsked(null)} />}
    </SurfaceContext.Provider>
  );
}

function ConfirmDialog({ asked: { confirm, run }, onDone }: { asked: Asked; onDone: () => void }) {
  const title = readText(confirm.title);
  return (
    <Dialog label={title} className="dialog-confirm" onClose={onDone}>
      <h2 className="dialog-title">
        <PlainText text={title} />
      </h2>
      <div className="dialog-body">
        <TextObject value={confirm.text} />
      </div>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onDone}>
          {readText(confirm.deny) || SHELL.cancel}
        </button>
        <button
          type="button"
          className={`button ${confirm.style === 'danger' ? 'button-danger' : 'button-primary'}`}
          onClick={() => {
            onDone();
            run();
          }}
        >
          {readText(confirm.confirm) || SHELL.yes}
        </button>
      </div>
    </Dialog>
  );
}
