import { createServer, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Tells the proxy how long to delay the response, in milliseconds. The proxy does not pass it on. */
export const DELAY_HEADER = 'x-bench-delay';

/**
 * Starts a proxy in front of the app that delays chosen responses. To a client, it looks like an app whose times depend
 * on the account.
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
