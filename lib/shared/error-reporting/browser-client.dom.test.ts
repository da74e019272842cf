import { createRequire } from 'node:module';
import path from 'node:path';
import { getClient, type Integration } from '@sentry/core';
import { expect, it, vi } from 'vitest';
import { startSentry } from '@/sentry.client.config';

// Uses the library's build for browsers, which Node does not choose.
vi.mock(
  '@sentry/nextjs',
  () => createRequire(import.meta.url)(path.resolve('node_modules/@sentry/nextjs/build/cjs/index.client.js')) as object,
);

it('in the browser, replays are sampled, and have neither texts nor inputs nor media', () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')));
  startSentry({ dsn: 'https://key@errors.example/1', environment: 'test', release: 'abc1234' });
  const client = getClient();
  expect(client?.getOptions()).toMatchObject({ replaysSessionSampleRate: 0.1, replaysOnErrorSampleRate: 1 });
  // What its recorder gets.
  type Replay = Integration & { _recordingOptions: { blockSelector: string } };
  const options = client?.getIntegrationByName<Replay>('Replay')?._recordingOptions;
  expect(options).toMatchObject({
    maskAllText: true,
    maskAllInputs: true,
    unmaskTextSelector: '',
    unblockSelector: '',
  });
  expect(options?.blockSelector.split(',')).toEqual(
    expect.arrayContaining(['img', 'svg', 'video', 'picture', 'audio']),
  );
});
