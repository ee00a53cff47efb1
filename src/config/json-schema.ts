import { z } from 'zod';
import { fileSchema } from './file.ts';

/** The JSON Schema of `countersign.yaml`, as text, ending in a newline. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ title: 'countersign.yaml', ...schema }, null, 2)}\n`;
}
