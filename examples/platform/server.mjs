import { readFileSync } from 'node:fs';
import http from 'node:http';
import { config } from './config.mjs';
import { route } from './routes.mjs';
import { receiveWebhook } from './webhooks.mjs';

const SECURITY_HEADERS = {
  'content-security-policy': `default-src 'self'; img-src 'self' data:; connect-src ${config.identityOrigin}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
};

/** @type {Record<string, { type: string, body: Buffer }>} */
const files = {
  '/styles.css': { type: 'text/css; charset=utf-8', body: read('styles.css') },
  '/mark.svg': { type: 'image/svg+xml', body: read('mark.svg') },
  '/sign-out.js': { type: 'text/javascript; charset=utf-8', body: read('sign-out.js') },
};

/** @param {http.IncomingMessage} req @param {http.ServerResponse} res */
async function answer(req, res) {
  if (!req.url || !URL.canParse(req.url, config.ownOrigin)) return void res.writeHead(400).end();
  const { pathname, search } = new URL(req.url, config.ownOrigin);
  if (req.method === 'POST' && pathname === '/webhooks')
    return void res.writeHead(await receiveWebhook(req), { connection: 'close' }).end();
  const file = files[pathname];
  if (file) return void res.writeHead(200, { ...SECURITY_HEADERS, 'content-type': file.type }).end(file.body);

  const { status, headers, body } = await route({ pathname, search, cookie: req.headers.cookie });
  res.writeHead(status, { ...SECURITY_HEADERS, 'cache-control': 'private, no-store', ...headers }).end(body);
}

const server = http.createServer((req, res) => {
  // An error, such as a body that ends early, would end the process if uncaught.
  answer(req, res).catch((error) => {
    console.error(error);
    if (!res.headersSent) res.writeHead(500);
    res.end();
  });
});

server.listen(config.port, () => console.log(`Learning platform on ${config.ownOrigin}`));

/** @param {string} name @returns {Buffer} */
function read(name) {
  return readFileSync(new URL(`public/${name}`, import.meta.url));
}
