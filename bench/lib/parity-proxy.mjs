import { createServer, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Tells the proxy for how many milliseconds it holds the response back. It is not passed on. */
export const DELAY_HEADER = 'x-bench-delay';

/**
 * Starts a proxy in front of the app that holds chosen responses back: an app whose times depend on the account, as far as a client can
 * see.
 * @param {string} appOrigin
 * @returns {Promise<{ origin: string, stop: () => void }>}
 */
export async function startDelayingProxy(appOrigin) {
  const { hostname, port, host } = new URL(appOrigin);
  const server = createServer((req, res) => {
    const { [DELAY_HEADER]: delay, ...headers } = req.headers;
    const options = { hostname, port, path: req.url, method: req.method, headers: { ...headers, host } };
    const onward = request(options, (answer) => {
      void wait(Number(delay ?? 0)).then(() => {
        res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(res);
      });
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  await /** @type {Promise<void>} */ (new Promise((ready) => server.listen(0, '127.0.0.1', ready)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
