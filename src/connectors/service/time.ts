/** The time so many milliseconds after 1970, as ISO 8601; null if there is no such time: what services say can be anything. */
export function toIsoTime(ms: number): string | null {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
