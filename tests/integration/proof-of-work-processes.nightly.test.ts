// Threats: flooding, split-state
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { call, callUntilAsked, newEmail, newNetwork, pack, RESET, solveAnswer } from '../support/proof-of-work';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';

describe.skipIf(!hasRedis())('two processes with one Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let processes: RoutesProcess[] = [];
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
    const env = { REDIS_URL: redis.url, PROOF_OF_WORK: '50', TRUSTED_PROXY_HOPS: '1' };
    processes = await Promise.all([startRoutesProcess(env), startRoutesProcess(env)]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await redis.stop();
  });
  const at = (i: number) => processes[i]?.origin ?? '';

  test('a proof that one has asked for is good for one call of both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [email, network] = [newEmail(), newNetwork()];
      const proof = pack(await solveAnswer(await callUntilAsked(at(0), email, network)));
      const answers = await Promise.all([1, 0, 1, 0].map((i) => call(at(i), RESET, { email }, { network, proof })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    }
  });

  test('calls are counted by both', async () => {
    const [email, network] = [newEmail(), newNetwork()];
    await callUntilAsked(at(0), email, network);
    expect((await call(at(1), RESET, { email }, { network })).body?.code).toBe('proof-required');
  });
});
