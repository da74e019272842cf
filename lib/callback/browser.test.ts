// @vitest-environment happy-dom
import Cookies from 'js-cookie';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseEnv, publicEnv } from '@/lib/config/env';
import { currentDestination, startCallback } from './browser';

const env = publicEnv(
  parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099', NEXT_PUBLIC_PURCHASE_MARKERS: 'source=b2b-purchase' }),
);
const dashboard = 'http://localhost:3001/user/dashboard';

function visit(path: string): void {
  (window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM.setURL(
    `http://localhost:3000${path}`,
  );
}

beforeEach(() => {
  Object.keys(Cookies.get()).forEach((name) => Cookies.remove(name));
  window.sessionStorage.clear();
  visit('/sign-in');
});

describe('startCallback', () => {
  it('keeps the redirect_uri and takes it out of the address, leaving the rest', () => {
    visit('/sign-in?theme=dark&redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa%3Fb%3D1#x');
    startCallback(env);
    expect(window.location.href).toBe('http://localhost:3000/sign-in?theme=dark#x');
    expect(currentDestination(env)).toBe('http://localhost:3001/a?b=1');
  });

  it('ends at the dashboard without a redirect_uri, and with a hostile one', () => {
    startCallback(env);
    expect(currentDestination(env)).toBe(dashboard);
    visit('/sign-in?redirect_uri=https://evil.test/');
    startCallback(env);
    expect(currentDestination(env)).toBe(dashboard);
    expect(window.location.search).toBe('');
  });

  it('judges the kept address once more when it is used', () => {
    Cookies.set('callbackUrl', 'https://evil.test/');
    expect(currentDestination(env)).toBe(dashboard);
  });

  it('sets the direct-purchase flag for a purchase', () => {
    visit('/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3001%2F%3Fsource%3Db2b-purchase');
    startCallback(env);
    expect(Cookies.get('direct-purchase-token')).toBe('1');
  });

  it('comes back to an own page by its name only', () => {
    visit('/sign-in?return_to=security');
    startCallback(env);
    expect(currentDestination(env)).toBe('/security');
    expect(window.location.search).toBe('');
    visit('/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa');
    startCallback(env);
    expect(currentDestination(env)).toBe('http://localhost:3001/a');
  });

  it.each(['//evil.test', 'https://evil.test', '__proto__', 'constructor', ''])('ignores return_to=%s', (name) => {
    visit(`/sign-in?return_to=${encodeURIComponent(name)}`);
    startCallback(env);
    expect(currentDestination(env)).toBe(dashboard);
  });
});
