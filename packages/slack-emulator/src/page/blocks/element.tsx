import { BLOCK } from '../texts.ts';
import { readString } from './block-kit.ts';
import { Button, FeedbackButtons } from './button.tsx';
import { Checkboxes, MultiSelect, RadioButtons } from './choices.tsx';
import type { ElementProps } from './draft-values.tsx';
import { Overflow } from './overflow.tsx';
import { DatePicker, DateTimePicker, TimePicker } from './pickers.tsx';
import { Picture } from './picture.tsx';
import { Select } from './select.tsx';
import { TextInput } from './text-input.tsx';

/** One interactive element, wherever it stands. */
export function Element(props: ElementProps) {
  switch (props.element.type) {
    case 'button':
    case 'workflow_button':
    case 'icon_button':
      return <Button {...props} />;
    case 'feedback_buttons':
      return <FeedbackButtons {...props} />;
    case 'overflow':
      return <Overflow {...props} />;
    case 'static_select':
    case 'users_select':
    case 'channels_select':
    case 'conversations_select':
      return <Select {...props} />;
    case 'multi_static_select':
    case 'multi_users_select':
      return <MultiSelect {...props} />;
    case 'checkboxes':
      return <Checkboxes {...props} />;
    case 'radio_buttons':
      return <RadioButtons {...props} />;
    case 'datepicker':
      return <DatePicker {...props} />;
    case 'timepicker':
      return <TimePicker {...props} />;
    case 'datetimepicker':
      return <DateTimePicker {...props} />;
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
    case 'url_text_input':
      return <TextInput {...props} />;
    case 'image':
      return <Picture image={props.element} large />;
    default:
      return <span className="block-unknown">{BLOCK.unknownElement(readString(props.element.type))}</span>;
  }
}
