import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves HTTP on loopback. @param port any free one by default */
export async function listen(handle: RequestListener, port = 0) {
  const server = createServer(handle);
  // Longer than a client keeps one that is idle: on a busy machine it would be closed just when the next request is written to it.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
