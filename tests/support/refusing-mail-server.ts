import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Starts a mail server that greets and then defers every email (RFC 5321, section 4.2.1). @param port any free port by
 * default
 */
export async function startRefusingMailServer(port = 0) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).write('220 localhost\r\n');
    socket.on('data', (data) => {
      const isEmail = /^MAIL /i.test(data.toString());
      socket.write(isEmail ? '451 4.3.2 not now\r\n' : '250 OK\r\n');
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `smtp://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
