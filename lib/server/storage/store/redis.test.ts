import { Command, Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { getStore } from '.';

afterEach(() => void vi.restoreAllMocks());

test('the time of a try begins after the first connection', async () => {
  Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', REDIS_URL: 'redis://127.0.0.1:9' });
  const steps: string[] = [];
  vi.spyOn(Redis.prototype, 'connect').mockImplementation(async () => {
    await new Promise(setImmediate);
    steps.push('connected');
  });
  vi.spyOn(Command.prototype, 'setTimeout').mockImplementation(() => void steps.push('the time of the try'));
  vi.spyOn(Redis.prototype, 'sendCommand').mockResolvedValue(1);
  expect(await getStore().countTry('a-code', 60)).toBe(1);
  expect(steps).toEqual(['connected', 'the time of the try']);
});
