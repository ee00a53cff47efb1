/** A person's id holds colons, a server's name does not. */
export function connectionId(server: string, personId: string): string {
  return `${server}:${personId}`;
}
