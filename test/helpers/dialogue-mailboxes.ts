import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const jsonMap = z.record(z.string(), z.json());

/** The policy and the cards that come with the program. */
export const SHIPPED = z
  .object({ policy: jsonMap, cards: jsonMap })
  .parse(parse(readFileSync(new URL('../../countersign.yaml', import.meta.url), 'utf8')));

/** The mailboxes of the local workspace without the mails to try them on. */
export const EMPTY_MAILBOXES = { epoch: 'dialogue', next: 1, messages: [] };
