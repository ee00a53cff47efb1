import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { JsonObject } from '../json.ts';
import type { PageView } from '../server/page-api.ts';
import { Blocks } from './blocks/block.tsx';
import { readText } from './blocks/block-kit.ts';
import { type FormValues, formErrors, formValues } from './blocks/form.ts';
import { SurfaceProvider } from './blocks/surface.tsx';
import { Dialog } from './shell/dialog.tsx';
import { useWorkspaceState } from './shell/people.tsx';
import { useReport } from './shell/toast.tsx';
import { send, submitErrors } from './state/api.ts';
import { topModal } from './state/state.ts';
import { PlainText } from './text/text.tsx';
import { SHELL } from './texts.ts';

const NO_EDITS: FormValues = {};

/** The modal in front. What was typed into those behind it is kept until they come forward again. */
export function Modals() {
  const workspace = useWorkspaceState();
  const [editsOf, setEditsOf] = useState<Readonly<Record<string, FormValues>>>({});
  const view = topModal(workspace);
  const id = view?.id ?? '';
  const changeEdits = useCallback(
    (change: (edits: FormValues) => FormValues) =>
      setEditsOf((before) => ({ ...before, [id]: change(before[id] ?? NO_EDITS) })),
    [id],
  );
  if (view === null) return null;
  return <Modal key={id} view={view} edits={editsOf[id] ?? NO_EDITS} onEdits={changeEdits} />;
}

interface ModalProps {
  readonly view: PageView;
  readonly edits: FormValues;
  readonly onEdits: (change: (edits: FormValues) => FormValues) => void;
}

function Modal({ view, edits, onEdits }: ModalProps) {
  const user = useWorkspaceState().me.id;
  const report = useReport();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [submitting, setSubmitting] = useState(false);
  /** The view that was submitted: like Slack, the page submits it once, until it is refused or changed. */
  const submitted = useRef<PageView | null>(null);
  const title = readText(view.title);
  const submit = readText(view.submit);

  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid=true] input')?.focus();
    // It stands below its field, which may be higher than what is seen of the form.
    form.current?.querySelector('.field-error')?.scrollIntoView({ block: 'nearest' });
  }, [errors]);

  const sendAction = useCallback(
    (blockId: string, actionId: string, fields: JsonObject, values: FormValues) =>
      report(
        send('view-action', {
          user,
          view_id: view.id,
          block_id: blockId,
          action_id: actionId,
          ...fields,
          state: { values },
        }),
      ),
    [user, view.id, report],
  );

  async function submitView(): Promise<void> {
    const values = formValues(view.blocks, edits);
    const refused = formErrors(view.blocks, values);
    setErrors(refused);
    if (Object.keys(refused).length > 0 || submitted.current === view) return;
    submitted.current = view;
    setSubmitting(true);
    let isTaken = false;
    try {
      const answered = submitErrors(await send('submit', { user, view_id: view.id, state: { values } }));
      isTaken = Object.keys(answered).length === 0;
      setErrors(answered);
    } finally {
      if (!isTaken) submitted.current = null;
      setSubmitting(false);
    }
  }

  const close = () => report(send('close', { user, view_id: view.id }));
  return (
    <Dialog label={title} className="dialog-modal" onClose={close}>
      <form
        ref={form}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (submit !== '') report(submitView());
        }}
      >
        <header className="dialog-head">
          <h2 className="dialog-title">
            <PlainText text={title} />
          </h2>
        </header>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and some of these are to be read only */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div className="dialog-body" role="group" aria-label={title} tabIndex={0}>
          <SurfaceProvider
            blocks={view.blocks}
            edits={edits}
            onEdits={onEdits}
            errors={errors}
            onAction={sendAction}
          >
            <Blocks blocks={view.blocks} />
          </SurfaceProvider>
        </div>
        <footer className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            {readText(view.close) || (submit === '' ? SHELL.close : SHELL.cancel)}
          </button>
          {submit !== '' && (
            <button type="submit" className="button button-primary" aria-busy={submitting}>
              {submit}
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
