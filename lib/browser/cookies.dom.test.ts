import { afterEach, expect, it, vi } from 'vitest';
import { writeCookie } from './cookies';

afterEach(() => {
  vi.restoreAllMocks();
  document.cookie = 'shared-computer=; path=/; max-age=0';
});

/** Returns the `max-age` of a cookie as it is written. */
function writtenAge(key: Parameters<typeof writeCookie>[0]): string | undefined {
  const write = vi.spyOn(document, 'cookie', 'set');
  writeCookie(key, '1', 'localhost');
  const [written = ''] = write.mock.lastCall ?? [];
  write.mockRestore();
  return /max-age=(\d+)/.exec(written)?.[1];
}

it('keeps a cookie for the lifetime of the table', () => {
  window.location.href = 'https://localhost/';
  expect(writtenAge('callbackUrl')).toBe('86400');
  expect(writtenAge('sharedComputer')).toBeUndefined();
});

it('keeps no cookie for more than 15 minutes on a shared computer', () => {
  window.location.href = 'https://localhost/';
  writeCookie('sharedComputer', '1', 'localhost');
  expect(writtenAge('callbackUrl')).toBeUndefined();
  expect(writtenAge('legacyUserStatus')).toBeUndefined();
  expect(writtenAge('ssoLoginInit')).toBe('900');
});
