import type { World } from './world.ts';

/** Secrets of ours that somebody gets to see: people, the model, a server's process, or readers of the log and of the store. */
export function leaksIn({ workspace, told, collected, secrets, slots, storage }: World): string[] {
  const seen = {
    'in Slack': JSON.stringify([...workspace.driver.workspace.messages.values()]),
    'by the model': told.join('\n'),
    'by a server of ours': collected.join('\n'),
    'in the log': slots.map((slot) => slot.output()).join('\n'),
    'in the store': storage.dump(),
  };
  return Object.entries(seen).flatMap(([where, text]) =>
    [...secrets]
      .filter(([, secret]) => shapesOf(secret).some((shape) => text.includes(shape)))
      .map(([name]) => `${name} can be read ${where}`),
  );
}

function shapesOf(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
}
