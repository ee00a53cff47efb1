/** A connection's id. Unambiguous, because a server's name has no colons; a person's id has. */
export function connectionId(server: string, personId: string): string {
  return `${server}:${personId}`;
}
