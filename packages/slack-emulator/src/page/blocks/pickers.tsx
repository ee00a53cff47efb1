import { fromLocalInput, toLocalInput } from '../text/time.ts';
import { readNumber, readString } from './block-kit.ts';
import { type ElementProps, fieldAttributes, useElementValue } from './draft-values.tsx';

/** A day, current as YYYY-MM-DD. */
export function DatePicker(props: ElementProps) {
  const { current, set } = useElementValue(props);
  return (
    <input
      {...fieldAttributes(props)}
      type="date"
      className="input input-short"
      value={readString(current)}
      onChange={(event) => set(event.target.value || null)}
    />
  );
}

/** A time of day, current as HH:mm. */
export function TimePicker(props: ElementProps) {
  const { current, set } = useElementValue(props);
  return (
    <input
      {...fieldAttributes(props)}
      type="time"
      className="input input-short"
      value={readString(current)}
      onChange={(event) => set(event.target.value || null)}
    />
  );
}

/** A moment, current in Unix seconds and shown in the viewer's zone. */
export function DateTimePicker(props: ElementProps) {
  const { current, set } = useElementValue(props);
  const seconds = readNumber(current);
  return (
    <input
      {...fieldAttributes(props)}
      type="datetime-local"
      className="input input-short"
      value={seconds === null ? '' : toLocalInput(seconds)}
      onChange={(event) => set(fromLocalInput(event.target.value))}
    />
  );
}
