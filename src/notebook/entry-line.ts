import type { Actor, AuditEntry } from '../gate/types.ts';
import { codeSpan } from './markdown.ts';
import { ENTRY, PAGE } from './texts.ts';

/** The beginning of a digest that stands in a line, in hexadecimal digits: 48 bits. */
const SHORT = 12;
/** What stands elsewhere on the page, or says nothing to people. */
const LEFT_OUT = ['tool', 'policyVersion', 'definition', 'feedbackDigest', 'instructionDigest'];

/** The line of an entry, by which it's found again: `- #7 · time · who · what`. */
export const ENTRY_LINE = /^- #(\d{1,15}) · /;

/**
 * An entry of the audit in one line. Whoever verifies a page writes it anew, from the audit, so it is made of what the audit
 * has, and of none of our words, which may change.
 */
export function entryLine({ seq, at, actor, what, digest, details, hash }: AuditEntry): string {
  const facts = Object.entries(details).flatMap(([name, value]) =>
    LEFT_OUT.includes(name) || value === null
      ? []
      : [ENTRY.fact(name, codeSpan(typeof value === 'string' ? value : JSON.stringify(value)))],
  );
  return ENTRY.line({
    seq,
    at: instant(at),
    person: personWords(actor),
    facts: [what, ...facts, ...(digest === null ? [] : [ENTRY.digest(short(digest))])],
    hash: short(hash),
  });
}

function short(digest: string): string {
  return codeSpan(digest.slice(0, SHORT));
}

/** A person by name and id. */
export function personWords({ id, name }: Actor): string {
  return PAGE.person(codeSpan(name), codeSpan(id));
}

/** ISO 8601, in UTC, with milliseconds. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}
