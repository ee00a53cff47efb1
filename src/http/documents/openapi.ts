import { z } from 'zod';
import { answer, errors, queryParameters } from '../api/openapi-parts.ts';
import { documentFieldsSchema, documentFormSchema, documentListQuerySchema } from './schemas.ts';

/** What the API's description says of documents. */
export function documentPaths() {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const { $schema, ...form } = z.toJSONSchema(documentFormSchema, { io: 'input' });
  const bytes = { schema: { type: 'string', format: 'binary' } };
  return {
    '/documents': {
      post: {
        summary: 'Give a document to be learned',
        description:
          'As a form, or as the body itself with its fields in the query. A document with the same key takes the place of the one before; the same again changes nothing. Asks for a key with the scope `documents`.',
        parameters: queryParameters(documentFieldsSchema),
        requestBody: {
          required: true,
          content: { 'multipart/form-data': { schema: form }, 'application/octet-stream': bytes },
        },
        responses: {
          200: answer('It is known as it is.', 'Document'),
          202: answer('It is kept, and will be learned.', 'Document'),
          ...errors(400, 401, 403, 409, 413, 422, 429, 503),
        },
      },
      get: {
        summary: 'List the documents of this key, and those that everybody may read',
        description: 'By name. Asks for a key with the scope `documents`.',
        parameters: queryParameters(documentListQuerySchema),
        responses: { 200: answer('A page.', 'DocumentList'), ...errors(400, 401, 403, 409, 503) },
      },
    },
    '/documents/{id}': {
      get: {
        summary: 'Read what became of a document',
        parameters: [id],
        responses: { 200: answer('The document.', 'Document'), ...errors(401, 403, 404, 409, 503) },
      },
      delete: {
        summary: 'Delete a document that was given with this key, with all that was learned of it',
        parameters: [id],
        responses: { 204: { description: 'It is gone.' }, ...errors(401, 403, 404, 409, 503) },
      },
    },
  };
}
