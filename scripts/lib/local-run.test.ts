import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { choosePorts } from './local-run.mjs';
import { freePorts } from './ports.mjs';

const servers: net.Server[] = [];
afterEach(() => {
  servers.splice(0).forEach((server) => server.close());
  delete process.env.FIRST_PORT;
});

/** @returns the port on which another program listens */
function listen(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer();
    servers.push(server);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

test('ports are the usual ones, or those that variables name', async () => {
  const [first = 0, second = 0, other = 0] = await freePorts(3);
  const usual = { FIRST_PORT: first, SECOND_PORT: second };
  expect(await choosePorts(usual)).toEqual(usual);
  process.env.FIRST_PORT = String(other);
  expect(await choosePorts(usual)).toEqual({ ...usual, FIRST_PORT: other });
});

test('a taken port is said, with how to choose another, and none is guessed', async () => {
  const taken = await listen();
  const [free = 0] = await freePorts(1);
  const another = (taken + 10_000) % 65_536;
  const said = `Port ${taken} is taken; choose another: FIRST_PORT=${another}`;
  await expect(choosePorts({ FIRST_PORT: taken, SECOND_PORT: free })).rejects.toThrow(new Error(said));
  // A port that a variable chooses can be taken, too.
  process.env.FIRST_PORT = String(taken);
  await expect(choosePorts({ FIRST_PORT: free })).rejects.toThrow(new Error(said));
});

test('all that is wrong is said at once', async () => {
  const [free = 0] = await freePorts(1);
  process.env.FIRST_PORT = 'http';
  const said = `FIRST_PORT must be a port number.\nPort ${free} is given twice; THIRD_PORT needs one of its own.`;
  const usual = { FIRST_PORT: 1, SECOND_PORT: free, THIRD_PORT: free };
  await expect(choosePorts(usual)).rejects.toThrow(new Error(said));
});
