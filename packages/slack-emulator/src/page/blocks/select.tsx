import type { JsonObject } from '../../json.ts';
import type { WorkspaceState } from '../../server/page-api.ts';
import { displayName, useWorkspaceState } from '../shell/people.tsx';
import { withEmoji } from '../text/emoji.ts';
import { BLOCK } from '../texts.ts';
import { readObjects, readOptions, readString, readText } from './block-kit.ts';
import { type ElementProps, fieldAttributes, useElementValue } from './draft-values.tsx';
import { chosenValues } from './form.ts';

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** One choice of a list: the app's own options, the people, or the channels of the workspace. */
export function Select(props: ElementProps) {
  const { element } = props;
  const { key, value, set } = useElementValue(props);
  const choices = directoryChoices(readString(element.type), useWorkspaceState());
  const groups = readObjects(element.option_groups);
  // Outside forms, choosing nothing is no action, and what was chosen can be chosen again.
  const isMenu = props.field === undefined;
  const isKept = !isMenu || element.initial_option !== undefined || choices !== null;

  function choose(id: string): void {
    if (choices !== null) set(id === '' ? null : id);
    else set(readOptions(element).find((option) => option.value === id) ?? null);
  }

  return (
    <select
      {...fieldAttributes(props)}
      className="input select"
      value={isKept ? (chosenValues(value, key)[0] ?? '') : ''}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="" disabled={isMenu} hidden={isMenu}>
        {readText(element.placeholder) || BLOCK.choose}
      </option>
      {choices?.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
      {choices === null && readObjects(element.options).map(renderOption)}
      {groups.map((group) => (
        <optgroup key={readText(group.label)} label={readText(group.label)}>
          {readObjects(group.options).map(renderOption)}
        </optgroup>
      ))}
    </select>
  );
}

function renderOption(option: JsonObject) {
  return (
    <option key={readString(option.value)} value={readString(option.value)}>
      {withEmoji(readText(option.text))}
    </option>
  );
}

/** The people or channels that an element of this type chooses from; null if it has its own options. */
export function directoryChoices(elementType: string, workspace: WorkspaceState): Choice[] | null {
  const people = workspace.users
    .filter(({ isBot }) => !isBot)
    .map((user) => ({ id: user.id, label: displayName(user) }));
  const channels = workspace.channels
    .filter(({ kind }) => kind === 'channel')
    .map(({ id, name }) => ({ id, label: `#${name}` }));
  if (elementType.endsWith('users_select')) return people;
  if (elementType === 'channels_select') return channels;
  if (elementType === 'conversations_select') return [...channels, ...people];
  return null;
}
