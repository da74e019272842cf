import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves HTTP on loopback. @param port any free port by default */
export async function listen(handle: RequestListener, port = 0) {
  const server = createServer(handle);
  // This is longer than a client keeps an idle connection. On a busy machine, the server could otherwise close a
  // connection just when the client writes to it.
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
