import type { JsonObject } from '../../../../src/lib/json.ts';
import { editModal, readEditForm } from '../../../../src/slack/modals/edit-arguments.ts';
import { withTool } from '../cards/fixtures.ts';
import { filled } from './untouched.ts';

/** What the edit form of these arguments says after these changes, by label. */
export function edited(schema: JsonObject, args: JsonObject, changes: Record<string, JsonObject>) {
  return readEdited(schema, args, filled(editModal(withTool(schema, args)), changes));
}

/** The edited arguments, or the errors where there are any. */
export function readEdited(schema: JsonObject, args: JsonObject, state: JsonObject) {
  const { values, errors } = readEditForm({ inputSchema: schema, trusted: true }, args, state);
  return Object.keys(errors).length > 0 ? { errors } : { arguments: values };
}
