import { fromLocalInput, toLocalInput } from '../text/time.ts';
import { numberOf, stringOf } from './block-kit.ts';
import { type ElementProps, fieldAttributes, useHeld } from './draft-values.tsx';

/** A day, held as YYYY-MM-DD. */
export function DatePicker(props: ElementProps) {
  const { held, set } = useHeld(props);
  return (
    <input
      {...fieldAttributes(props)}
      type="date"
      className="input input-short"
      value={stringOf(held)}
      onChange={(event) => set(event.target.value || null)}
    />
  );
}

/** A time of day, held as HH:mm. */
export function TimePicker(props: ElementProps) {
  const { held, set } = useHeld(props);
  return (
    <input
      {...fieldAttributes(props)}
      type="time"
      className="input input-short"
      value={stringOf(held)}
      onChange={(event) => set(event.target.value || null)}
    />
  );
}

/** A moment, held in Unix seconds and shown in the viewer's zone. */
export function DateTimePicker(props: ElementProps) {
  const { held, set } = useHeld(props);
  const seconds = numberOf(held);
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
