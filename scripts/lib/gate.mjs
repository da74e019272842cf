import net from 'node:net';

/**
 * A TCP gate in front of a service: closed, the service cannot be reached, though it keeps running and remembers.
 * @param {{ port: number, target: number }} options ports on this machine
 * @returns {{ open: () => Promise<void>, close: () => Promise<void> }}
 */
export function makeGate({ port, target }) {
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  /** @param {net.Socket} socket */
  const track = (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = net.createServer((inbound) => {
    const outbound = net.connect(target, '127.0.0.1');
    track(inbound);
    track(outbound);
    inbound.pipe(outbound).pipe(inbound);
    inbound.on('close', () => outbound.destroy());
    outbound.on('close', () => inbound.destroy());
  });
  return {
    open: () => new Promise((ready) => server.listen(port, () => ready())),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}
