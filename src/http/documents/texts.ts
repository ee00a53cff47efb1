/** The texts of the API's documents. */

import { DOCUMENT_KINDS, MOST_BYTES } from '../../knowledge/ports.ts';

export const DOCUMENTS = {
  none: 'No documents are learned here: countersign.yaml has neither knowledge nor a server with in_process: documents. Nothing was kept.',
  notKept:
    'Several processes share the work here, and countersign.yaml names no knowledge.store, so a document would not be kept. Nothing was kept.',
  unknown: 'There is no such document.',
  notYours: 'This document was not given with this key. Nothing was deleted.',
  noFile: 'The form has no file. Nothing was kept.',
  noName: 'The document has no name: give it as name. Nothing was kept.',
  unknownKind: `Nobody here can read such a file: its name ends in none of ${Object.keys(DOCUMENT_KINDS).join(', ')}. Nothing was kept.`,
  tooLarge: `A document has at most ${MOST_BYTES / (1024 * 1024)} MB. Nothing was kept.`,
  full: {
    own_documents: 'This key has given as many documents as one may. Nothing was kept; delete one first.',
    own_bytes:
      'With this, the documents of this key would take more room than they may. Nothing was kept; delete one first.',
    all_documents: 'There are as many documents here as knowledge.limits lets be. Nothing was kept.',
    all_bytes:
      'With this, all documents together would take more room than knowledge.limits lets them. Nothing was kept.',
  },
  tooManyAtOnce: 'Other documents are being received just now. Nothing was kept; try again in a moment.',
  tooManyWait: (most: number) =>
    `${most} documents of this key wait to be learned, which is as many as may. Nothing was kept; try again once some are.`,
} as const;
