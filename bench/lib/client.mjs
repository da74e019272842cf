import { request } from 'node:http';

/**
 * Returns a client network of the attackers, as an address that this machine connects from. On Linux, all of
 * 127.0.0.0/8 is local. The proxy tells it to the app, which trusts no client.
 * @param {number} i @param {number} [block] which 65,536 networks of those that there are
 */
export const getNetwork = (i, block = 1) => `127.${block + (i >> 8)}.${i & 255}.1`;

/** Returns a client network as a trusted proxy names it, only for rate limits. */
export const getAnyNetwork = () =>
  ['10', ...Array.from({ length: 3 }, () => Math.floor(Math.random() * 256))].join('.');

/**
 * @param {string} url on this machine
 * @param {{ from: string, body?: object, headers?: Record<string, string>, agent?: import('node:http').Agent | false }}
 *   call `from`: the client's address. `agent`: its connections, a new connection by default
 * @returns {Promise<{ status: number, body: any, cookies: string[] }>}
 */
export function post(url, { from, body, headers = {}, agent = false }) {
  const { host, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ method: 'POST', host: '127.0.0.1', port, path: pathname, localAddress: from, agent },
        headers: { host, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let answered = '';
        answer.setEncoding('utf8');
        answer.on('data', (/** @type {string} */ chunk) => (answered += chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const type = answer.headers['content-type'] ?? '';
          const json = type.includes('json') ? JSON.parse(answered) : {};
          resolve({ status: answer.statusCode ?? 0, body: json, cookies: answer.headers['set-cookie'] ?? [] });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}
