import net from 'node:net';

/** How long a slow service takes to begin its answer, in milliseconds: longer than anybody here waits. */
const SLOW = 12_000;
const GARBAGE = Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 151 + 7) % 256));
const PAGE = '<!doctype html><title>Sign in to the network</title>';
const NONSENSE = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${PAGE.length}\r\n\r\n${PAGE}`;

/**
 * @typedef {'well' | 'slow' | 'garbage' | 'nonsense' | 'cut'} Manner how a service answers: as it does, late, with bytes
 *   that mean nothing, with a web page of somebody else's (HTTP alone), or with a part of its answer and then no more
 * @typedef {{ url: string, open: () => Promise<void>, close: () => Promise<void>,
 *   be: (manner: Manner | 'refused') => Promise<void> }} Gate `be`: ends all connections, so that none is left of before
 */

/**
 * A TCP gate in front of a service: closed, the service cannot be reached, though it keeps running and remembers.
 * @param {{ port: number, target: number, spare?: number }} options ports on this machine; `spare`: bytes of an answer that
 *   pass before it is cut
 * @returns {Gate}
 */
export function makeGate({ port, target, spare = 40 }) {
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  /** @type {Manner} */
  let manner = 'well';
  /** @param {net.Socket} socket */
  const track = (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = net.createServer((inbound) => {
    track(inbound);
    if (manner === 'garbage' || manner === 'nonsense') {
      const answer = manner === 'garbage' ? GARBAGE : NONSENSE;
      // Mail servers speak first; everybody else is asked.
      if (manner === 'garbage') inbound.write(GARBAGE);
      inbound.on('data', () => inbound.write(answer));
      return;
    }
    const outbound = net.connect(target, '127.0.0.1');
    track(outbound);
    inbound.pipe(outbound);
    if (manner === 'slow') setTimeout(() => outbound.pipe(inbound), SLOW).unref();
    else if (manner === 'cut') cutAfter(spare, outbound, inbound);
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
    be: async (next) => {
      if (next === 'refused') return close();
      manner = next;
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
