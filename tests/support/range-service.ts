import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { listen } from './listen';

type Fault = (res: ServerResponse) => void;

/**
 * Starts a range service of breached passwords. Its lines contain the rest of each hash. Padding lines have the count
 * 0.
 */
export async function startRangeService(breached: readonly string[]) {
  const hashes = breached.map((password) => createHash('sha1').update(password).digest('hex').toUpperCase());
  const asked: { path: string; headers: IncomingHttpHeaders }[] = [];
  let fault: Fault | null = null;
  const server = await listen((req, res) => {
    const path = req.url ?? '';
    asked.push({ path, headers: req.headers });
    if (fault !== null) return fault(res);
    const prefix = path.replace('/range/', '');
    const found = hashes.filter((hash) => hash.startsWith(prefix)).map((hash) => `${hash.slice(5)}:3`);
    const padding = ['0018A45C4D1DEF81644B54AB7F969B88D65:1', '00D4F6E8FA6EECAD2A3AA415EEC418D38EC:0'];
    res.writeHead(200, { 'content-type': 'text/plain' }).end([...padding, ...found].join('\r\n'));
  });
  return {
    url: `http://localhost:${String(server.port)}/range`,
    asked,
    /** Responds like this from now on. */
    fail: (next: Fault | null) => (fault = next),
    stop: () => server.stop(),
  };
}
