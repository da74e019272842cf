import net from 'node:net';

/**
 * Delay before a slow service begins its response, in milliseconds. It exceeds every timeout of the app, even on a busy
 * machine.
 */
const SLOW = 60_000;
const GARBAGE = Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 151 + 7) % 256));
const PAGE = '<!doctype html><title>Sign in to the network</title>';
const NONSENSE = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${PAGE.length}\r\n\r\n${PAGE}`;

/**
 * @typedef {'healthy' | 'slow' | 'garbage' | 'nonsense' | 'cut'} FaultMode how a service responds: normally, late, with
 * random bytes, with an unrelated web page (HTTP only), or with a truncated response
 * @typedef {{ url: string, open: () => Promise<void>, close: () => Promise<void>, setMode: (mode: FaultMode |
 * 'refused') => Promise<void> }} Gate `setMode` closes all open connections
 */

/**
 * Creates a TCP gate in front of a service. While the gate is closed, the service is unreachable but keeps running and
 * keeps its state.
 * @param {{ port: number, target: number, spare?: number }} options ports on this machine. `spare`: number of response
 * bytes that pass before the cut
 * @returns {Gate}
 */
export function makeGate({ port, target, spare = 40 }) {
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  /** @type {FaultMode} */
  let mode = 'healthy';
  /** @param {net.Socket} socket */
  const track = (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = net.createServer((inbound) => {
    track(inbound);
    if (mode === 'garbage' || mode === 'nonsense') {
      const answer = mode === 'garbage' ? GARBAGE : NONSENSE;
      // An SMTP server sends first. An HTTP server waits for a request.
      if (mode === 'garbage') inbound.write(GARBAGE);
      inbound.on('data', () => inbound.write(answer));
      return;
    }
    const outbound = net.connect(target, '127.0.0.1');
    track(outbound);
    inbound.pipe(outbound);
    if (mode === 'slow') setTimeout(() => outbound.pipe(inbound), SLOW).unref();
    else if (mode === 'cut') cutAfter(spare, outbound, inbound);
    else outbound.pipe(inbound);
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  const open = () => new Promise((/** @type {(_: void) => void} */ ready) => server.listen(port, () => ready()));
  const end = () => sockets.forEach((socket) => socket.destroy());
  const close = () =>
    new Promise((/** @type {(_: void) => void} */ closed) => {
      server.close(() => closed());
      end();
    });
  return {
    url: `localhost:${port}`,
    open,
    close,
    setMode: async (next) => {
      if (next === 'refused') return close();
      mode = next;
      if (server.listening) end();
      else await open();
    },
  };
}

/** @param {number} spare @param {net.Socket} from @param {net.Socket} to */
function cutAfter(spare, from, to) {
  let left = spare;
  from.on('data', (/** @type {Buffer} */ chunk) => {
    to.write(chunk.subarray(0, left), () => left <= 0 && to.destroy());
    left -= chunk.length;
  });
}
