import type { HTMLInputTypeAttribute, KeyboardEvent } from 'react';
import { readNumber, readObject, readString, readStrings, readText } from './block-kit.ts';
import { type ElementProps, fieldAttributes, useElementValue } from './draft-values.tsx';

const TYPES: Readonly<Record<string, HTMLInputTypeAttribute>> = {
  email_text_input: 'email',
  url_text_input: 'url',
};

/** A field to type in: text of one or many lines, a number, an email or web address. */
export function TextInput(props: ElementProps) {
  const { element } = props;
  const { current, type, set, dispatch } = useElementValue(props);
  const triggers = readStrings(readObject(element.dispatch_action_config).trigger_actions_on);
  const text = readString(current);
  const longest = readNumber(element.max_length);
  const attributes = {
    ...fieldAttributes(props),
    className: 'input',
    dir: 'auto',
    value: text,
    placeholder: readText(element.placeholder),
    'data-focus-first': element.focus_on_load === true ? true : undefined,
    onChange: ({ target }: { target: { value: string } }) => {
      const typed = target.value === '' ? null : target.value;
      if (triggers.includes('on_character_entered')) set(typed);
      else type(typed);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const tells = props.dispatches === true && !triggers.includes('on_character_entered');
      if (event.key !== 'Enter' || event.shiftKey || !tells) return;
      event.preventDefault();
      dispatch();
    },
  };
  return (
    <>
      {element.multiline === true ? (
        <textarea {...attributes} rows={4} />
      ) : (
        <input
          {...attributes}
          type={TYPES[readString(element.type)] ?? 'text'}
          inputMode={element.type === 'number_input' ? 'decimal' : undefined}
        />
      )}
      {longest !== null && text.length > longest * 0.8 && (
        <span className={`counter${text.length > longest ? ' counter-over' : ''}`}>
          {text.length} of {longest}
        </span>
      )}
    </>
  );
}
