import { expect, it } from 'vitest';
import { beforeSend, sentryOptions } from './options';

const thrown = (type: string, value: string) => ({ exception: { values: [{ type, value }] } });

it('drops errors that match a rule and reports the others', () => {
  expect(beforeSend(thrown('ReferenceError', "Can't find variable: gmo"))).toBeNull();
  expect(beforeSend({ message: 'Firebase: Error (auth/network-request-failed).' })).toBeNull();
  const other = thrown('ReferenceError', "Can't find variable: other");
  expect(beforeSend(other)).toBe(other);
});

it('sends environment and release, and disables personal data', () => {
  const service = { dsn: 'https://key@errors.example/1', environment: 'staging', release: 'abc1234' };
  expect(sentryOptions(service)).toMatchObject({
    ...service,
    debug: false,
    tracesSampleRate: 0.2,
    sendDefaultPii: false,
  });
});
