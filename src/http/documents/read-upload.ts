import type { z } from 'zod';
import { MOST_BYTES } from '../../knowledge/ports.ts';
import { readFormBody, requireFit } from '../api/body.ts';
import type { HttpContext } from '../context.ts';
import { HttpError } from '../errors.ts';
import { documentFieldsSchema, documentFormSchema } from './schemas.ts';
import { DOCUMENTS } from './texts.ts';

/** A document as it was sent. */
interface Upload extends Omit<z.infer<typeof documentFieldsSchema>, 'name'> {
  readonly name: string;
  readonly content: Buffer;
}

/**
 * The document of a request: the file of a form with its fields, or the body itself, with the fields in the query.
 * @throws HttpError 400 for what is no form, 413 for a file that is too large, 422 for fields that don't fit
 */
export async function readUpload(c: HttpContext): Promise<Upload> {
  const isForm = /^multipart\/form-data\b/i.test(c.req.header('content-type') ?? '');
  const { name, content, ...fields } = isForm ? await readForm(c) : await readRaw(c);
  if (content.length > MOST_BYTES) throw tooLarge();
  if (name === undefined)
    throw new HttpError({ status: 422, code: 'invalid_body', userMessage: DOCUMENTS.noName });
  return { ...fields, name, content };
}

/** The error for a document of more than may be read. */
function tooLarge(): HttpError {
  return new HttpError({ status: 413, code: 'too_large', userMessage: DOCUMENTS.tooLarge });
}

async function readForm(c: HttpContext) {
  const body = await readFormBody(c);
  if (!(body.file instanceof File))
    throw new HttpError({ status: 422, code: 'invalid_body', userMessage: DOCUMENTS.noFile });
  const { file, ...fields } = requireFit(documentFormSchema, {
    ...body,
    name: body.name ?? (body.file.name || undefined),
  });
  return { ...fields, content: Buffer.from(await file.arrayBuffer()) };
}

async function readRaw(c: HttpContext) {
  const fields = requireFit(documentFieldsSchema, c.req.query());
  return { ...fields, content: Buffer.from(await c.req.arrayBuffer()) };
}
