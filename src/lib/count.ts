/** A whole number for people, with its thousands separated: 12,000. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
