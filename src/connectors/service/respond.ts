/** The response with another status, and further headers, for `Connector.adapt`. */
export function withStatus(
  response: Response,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(response.body, { status, headers: all });
}
