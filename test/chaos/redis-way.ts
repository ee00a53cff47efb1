import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The way of one process to Redis, which can be cut. */
export interface RedisWay {
  readonly url: string;
  /** From now on nothing gets through, and nobody is told: packets are lost. */
  cut(): void;
  /** Things get through again, over new connections. */
  heal(): void;
  /** The next answer gets lost, and its connection with it. */
  loseNextAnswer(): void;
  close(): void;
}

export async function openRedisWay(port: number): Promise<RedisWay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isLosing = false;
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('data', (question) => void (isCut || far.write(question)));
    far.on('data', (answer) => {
      if (isCut) return;
      if (!isLosing) return void near.write(answer);
      isLosing = false;
      near.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = way.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
    },
    heal() {
      isCut = false;
      isLosing = false;
      drop();
    },
    loseNextAnswer() {
      isLosing = true;
    },
    close() {
      way.close();
      drop();
    },
  };
}
