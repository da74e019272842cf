import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** URLs of the emulator: its helper page and frame, and its API. */
const PROVIDER = /^\/(?:emulator|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)\//;

/**
 * Serves the app and the identity provider's helper on one host, as `/__/auth` does in production; the emulator's
 * helper has a different host.
 */
export async function startOneHost(emulatorPort: number) {
  let appPort = 0;
  const server: Server = createServer((req, res) => {
    const port = PROVIDER.test(req.url ?? '') ? emulatorPort : appPort;
    const passed = request(
      { host: 'localhost', port, path: req.url, method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  await new Promise<void>((ready) => server.listen(0, () => ready()));
  const { port } = server.address() as AddressInfo;
  return {
    host: `localhost:${port}`,
    passAppTo: (origin: string) => (appPort = Number(new URL(origin).port)),
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}
