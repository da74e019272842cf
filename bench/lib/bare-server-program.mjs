// Started by bare-server.mjs: node bench/lib/bare-server-program.mjs <port> <Cookie header>
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { LRUCache } from 'lru-cache';

const [port, known = ''] = process.argv.slice(2);
const NAME = '_secure-user-session=';
const getSession = (/** @type {string} */ header) =>
  header
    .split('; ')
    .find((pair) => pair.startsWith(NAME))
    ?.slice(NAME.length) ?? '';
const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest('base64url');

/** Uses the same size and time to live as the app's cache. */
const sessions = new LRUCache({ max: 10_000, ttl: 24 * 60 * 60 * 1000, ttlResolution: 0 });
const learner = {
  uid: 'p3xQ5nA0b7cD1eF2gH3iJ4kL5mN6',
  email: 'learner@campus.test',
  displayName: 'Lena',
  photoURL: null,
};
const times = { emailVerified: true, expiresAt: '2026-11-30T09:00:00.000Z', refreshAfter: '2026-11-26T09:00:00.000Z' };
sessions.set(digest(getSession(known)), { ...learner, ...times, assurance: 1, sid: 'p3xQ5nA0b7cD1eF2gH3iJ4' });

createServer((req, res) => {
  const session = sessions.get(digest(getSession(req.headers.cookie ?? '')));
  const text = JSON.stringify(session ?? {});
  res.writeHead(session ? 200 : 401, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}).listen(Number(port), '127.0.0.1');
