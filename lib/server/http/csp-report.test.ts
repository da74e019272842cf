import { expect, it } from 'vitest';
import { getReportedHost } from './browser-reports';

it.each([
  ['https://evil.test:8443/x?token=SeCrEt1#SeCrEt1', 'evil.test:8443'],
  ['https://lena:SeCrEt1@evil.test/', 'evil.test'],
  ['inline', 'inline'],
  ['data', 'data'],
  ['data:text/html,SeCrEt1', 'data'],
  ['chrome-extension://abc/x.js', 'chrome-extension'],
  ['pendingToken=secretwords', 'other'],
  ['token:secretwords', 'other'],
  [`https://${'a'.repeat(300)}.test/`, 'other'],
  ['', 'other'],
])('%s is logged as %s', (blocked, logged) => {
  expect(getReportedHost(blocked)).toBe(logged);
});
