import { useId } from 'react';
import type { JsonObject } from '../../json.ts';
import { PlainText } from '../text/text.tsx';
import { readObject, readString, readText } from './block-kit.ts';
import { Element } from './element.tsx';
import { useSurface } from './surface.tsx';

/** Elements made of several fields are labelled as a group, all others by `<label for>`. */
const GROUPS = new Set<unknown>(['checkboxes', 'radio_buttons', 'multi_static_select', 'multi_users_select']);

/** A labelled input with its hint and, after a refused submit, what is wrong beside it. */
export function InputBlock({ block }: { block: JsonObject }) {
  const id = useId();
  const element = readObject(block.element);
  const error = useSurface().errors[readString(block.block_id)];
  // Below a clock, Slack says in which zone it is (@slack/types, Timepicker).
  const zone = readString(element.timezone);
  const hint = [zone, readText(block.hint)].filter(Boolean).join(' · ');
  const describedBy = [error === undefined ? '' : `${id}-error`, hint === '' ? '' : `${id}-hint`].filter(
    Boolean,
  );
  const label = (
    <>
      <PlainText text={readText(block.label)} />
      {block.optional === true && <span className="optional"> (optional)</span>}
    </>
  );
  const content = (
    <>
      <Element
        block={block}
        element={element}
        field={{
          id,
          invalid: error !== undefined,
          describedBy: describedBy.join(' '),
          label: readText(block.label),
        }}
        dispatches={block.dispatch_action === true}
      />
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint !== '' && (
        <p className="field-hint" id={`${id}-hint`}>
          <PlainText text={hint} />
        </p>
      )}
    </>
  );
  return GROUPS.has(element.type) ? (
    <fieldset className="block-input" aria-describedby={describedBy.join(' ')}>
      <legend className="field-label">{label}</legend>
      {content}
    </fieldset>
  ) : (
    <div className="block-input">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {content}
    </div>
  );
}
