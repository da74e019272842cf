import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type RawSocket = {
  /** Returns everything that has been received so far. */
  received: () => string;
  write: (text: string) => void;
  /** Ends our side only. */
  end: () => void;
  /** Stops reading. */
  pause: () => void;
  resume: () => void;
  destroy: () => void;
  /** @returns milliseconds until the server closed the connection, or null if it did not within the time */
  closed: (withinMs: number) => Promise<number | null>;
};

/** Opens a connection without an HTTP client, which sends exactly the written bytes. */
export async function openSocket(port: number): Promise<RawSocket> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const begin = performance.now();
  let text = '';
  // A server may close a connection by a reset.
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => (text += bytes.toString('latin1')));
  const closed = new Promise<number>((resolve) => {
    const settle = () => resolve(performance.now() - begin);
    socket.once('end', settle);
    socket.once('close', settle);
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    received: () => text,
    write: (bytes) => void socket.write(bytes, 'latin1'),
    end: () => void socket.end(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
    closed: async (withinMs) => Promise.race([closed, sleep(withinMs, null)]),
  };
}

/** Writes bytes and waits until the server closes. @returns the received bytes */
export async function exchange(port: number, bytes: string, withinMs: number): Promise<string> {
  const socket = await openSocket(port);
  socket.write(bytes);
  const ms = await socket.closed(withinMs);
  const answer = socket.received();
  socket.destroy();
  if (ms === null)
    throw new Error(
      `Neither answered nor closed within ${String(withinMs)} ms: ${JSON.stringify(bytes.slice(0, 200))}`,
    );
  return answer;
}
