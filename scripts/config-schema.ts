/** Writes `countersign.schema.json`, by which editors complete and check `countersign.yaml`. */

import { writeFile } from 'node:fs/promises';
import { configJsonSchema } from '../src/config/json-schema.ts';

await writeFile('countersign.schema.json', configJsonSchema());
