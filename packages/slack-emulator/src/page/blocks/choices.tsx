import { useId } from 'react';
import type { Json } from '../../json.ts';
import { useWorkspaceState } from '../shell/people.tsx';
import { withEmoji } from '../text/emoji.ts';
import { TextObject } from '../text/text.tsx';
import { readOptions, readString, readText } from './block-kit.ts';
import { type ElementProps, useElementValue } from './draft-values.tsx';
import { chosenValues } from './form.ts';
import { directoryChoices } from './select.tsx';

/** Any number of the options. */
export function Checkboxes(props: ElementProps) {
  return <MultipleChoice {...props} className="choices" />;
}

/** Any number of a longer list, which scrolls. */
export function MultiSelect(props: ElementProps) {
  return <MultipleChoice {...props} className="choices choices-list" />;
}

function MultipleChoice(props: ElementProps & { className: string }) {
  const { element, field, className } = props;
  const { key, value, set } = useElementValue(props);
  const people = directoryChoices(readString(element.type), useWorkspaceState());
  const options = readOptions(element);
  const chosen = chosenValues(value, key);

  function toggle(id: string): void {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    // In the order of the list, so that the same choice is always the same value.
    const inListOrder: Json[] =
      people === null
        ? options.filter((option) => next.includes(readString(option.value)))
        : people.map((person) => person.id).filter((one) => next.includes(one));
    set(inListOrder);
  }

  return (
    <div className={className} data-invalid={field?.invalid === true}>
      {people?.map(({ id, label }) => (
        <label key={id} className="choice">
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
          <span>{label}</span>
        </label>
      ))}
      {people === null &&
        options.map((option) => {
          const id = readString(option.value);
          return (
            <label key={id} className="choice">
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              <span>
                <TextObject value={option.text} />
                {option.description !== undefined && (
                  <small className="choice-description">{readText(option.description)}</small>
                )}
              </span>
            </label>
          );
        })}
    </div>
  );
}

/** Exactly one of the options. */
export function RadioButtons(props: ElementProps) {
  const { element, field } = props;
  const { key, value, set } = useElementValue(props);
  const name = useId();
  const [chosen] = chosenValues(value, key);
  return (
    <div className="choices" role="radiogroup" aria-label={field?.label ?? readString(element.action_id)}>
      {readOptions(element).map((option) => {
        const id = readString(option.value);
        return (
          <label key={id} className="choice">
            <input type="radio" name={name} checked={chosen === id} onChange={() => set(option)} />
            <span>
              {withEmoji(readText(option.text))}
              {option.description !== undefined && (
                <small className="choice-description">{readText(option.description)}</small>
              )}
            </span>
          </label>
        );
      })}
    </div>
  );
}
