import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilLogged } from '../../scripts/lib/processes.mjs';

const HOST = '127.0.0.1';
const MASTERS = 3;
const SLOTS = 16_384;
/** Time after which the other nodes declare a node failed, in milliseconds. */
const NODE_TIMEOUT_MS = 1_500;

/** Starts a Redis Cluster of three nodes on free ports, each with a replica. */
export async function startRedisCluster() {
  const ports = await freePorts(MASTERS * 4);
  const nodes = await Promise.all(
    Array.from({ length: MASTERS * 2 }, (_, i) => startNode(ports[i] ?? 0, ports[i + MASTERS * 2] ?? 0)),
  );
  const [first] = nodes;
  for (const node of nodes.slice(1)) await first?.client.cluster('MEET', HOST, node.port, node.busPort);
  const share = Math.ceil(SLOTS / MASTERS);
  const masters = nodes.slice(0, MASTERS);
  for (const [i, { client }] of masters.entries())
    await client.cluster('ADDSLOTSRANGE', i * share, Math.min((i + 1) * share, SLOTS) - 1);
  const ids = await Promise.all(masters.map(({ client }) => client.cluster('MYID')));
  for (const [i, { client }] of nodes.slice(MASTERS).entries())
    await until(() => client.cluster('REPLICATE', String(ids[i])).then(() => true));
  await until(async () => {
    const states = await Promise.all(nodes.map(({ client }) => client.info('replication')));
    const info = await Promise.all(nodes.map(({ client }) => client.cluster('INFO')));
    const isLinked = states.slice(MASTERS).every((state) => state.includes('master_link_status:up'));
    return isLinked && info.every((each) => String(each).includes('cluster_state:ok'));
  });
  return {
    url: masters.map(({ port }) => `redis://${HOST}:${String(port)}`).join(','),
    /** Ends a node that has slots, like a crash. Its replica takes over. */
    kill: (node: number) => nodes[node]?.kill(),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function startNode(port: number, busPort: number) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'redis-node-'));
  const command = ['redis-server', '--port', String(port), '--bind', HOST, '--save', '', '--appendonly', 'no'];
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  const failover = ['--cluster-node-timeout', String(NODE_TIMEOUT_MS)];
  const service = startService('redis', [...command, ...cluster, ...failover], { cwd: dir, logDir: dir });
  await waitUntilLogged(service, 'Ready to accept connections');
  const client = new Redis(port, HOST, { retryStrategy: () => null });
  client.on('error', () => undefined);
  return {
    port,
    busPort,
    client,
    kill: () => {
      client.disconnect();
      process.kill(service.pid, 'SIGKILL');
    },
    stop: async () => {
      client.disconnect();
      await service.stop();
    },
  };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    if (await isDone().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The cluster does not come up');
}
