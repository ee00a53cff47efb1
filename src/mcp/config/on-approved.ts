import { z } from 'zod';
import {
  HEADER_NAME_FORMAT,
  HEADER_VALUE_FORMAT,
  META_KEY_RESERVED,
  ON_APPROVED,
  RESERVED_HEADER,
} from '../texts/config.ts';

/**
 * Headers of signing in, of the session, of the protocol and of HTTP itself, which an approval can't set.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
const RESERVED_HEADERS =
  /^(?:mcp-.*|(?:proxy-)?authorization|cookie|dpop|accept(?:-.*)?|content-.*|connection|host|last-event-id|origin|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Keys of `_meta` that belong to the protocol: the progress token, and prefixes with `modelcontextprotocol` or
 * `mcp` as a label.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#meta
 */
const RESERVED_META = /^progressToken$|^(?:[^/]*\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//i;

const metaSchema = z
  .record(
    z.string().refine((key) => !RESERVED_META.test(key), META_KEY_RESERVED),
    z.json(),
  )
  .default({})
  .describe('Added to the `_meta` of the call.');

const headersSchema = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~\w-]+$/, HEADER_NAME_FORMAT)
      .refine((name) => !RESERVED_HEADERS.test(name), RESERVED_HEADER),
    // A line break would begin another header.
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, HEADER_VALUE_FORMAT),
  )
  .default({})
  .describe('Added to the request of the call; never in place of a header that it has.');

/** What a server gets with approved calls: `_meta`, by any transport. */
export const onApprovedSchema = z.strictObject({ meta: metaSchema }).optional().describe(ON_APPROVED);

/** As {@link onApprovedSchema}, and headers. */
export const onApprovedOverHttpSchema = z
  .strictObject({ headers: headersSchema, meta: metaSchema })
  .optional()
  .describe(ON_APPROVED);
