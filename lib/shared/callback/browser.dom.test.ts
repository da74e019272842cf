import Cookies from 'js-cookie';
import Router from 'next/router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rememberRedirect } from '@/lib/browser/auth/pending';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { APP_TIMEOUT_MS, getDestination, captureCallback, claimCallback, goToCallback } from '@/lib/browser/callback';

const env = getPublicEnv(
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
  it('stores the redirect_uri and removes it from the URL, keeping other parameters', () => {
    visit('/sign-in?theme=dark&redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa%3Fb%3D1#x');
    captureCallback(env);
    expect(window.location.href).toBe('http://localhost:3000/sign-in?theme=dark#x');
    expect(getDestination(env)).toBe('http://localhost:3001/a?b=1');
  });

  it('uses the dashboard without a redirect_uri or with an invalid one', () => {
    captureCallback(env);
    expect(getDestination(env)).toBe(dashboard);
    visit('/sign-in?redirect_uri=https://evil.test/');
    captureCallback(env);
    expect(getDestination(env)).toBe(dashboard);
    expect(window.location.search).toBe('');
  });

  it('validates the stored callback again when it is used', () => {
    Cookies.set('callbackUrl', 'https://evil.test/');
    expect(getDestination(env)).toBe(dashboard);
  });

  it('sets the direct-purchase flag for a purchase', () => {
    visit('/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3001%2F%3Fsource%3Db2b-purchase');
    captureCallback(env);
    expect(Cookies.get('direct-purchase-token')).toBe('1');
  });

  it('returns to an own page by its name only', () => {
    visit('/sign-in?return_to=security');
    captureCallback(env);
    expect(getDestination(env)).toBe('/security');
    expect(window.location.search).toBe('');
    visit('/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa');
    captureCallback(env);
    expect(getDestination(env)).toBe('http://localhost:3001/a');
  });

  it('keeps what the platform asks for beside its callback, until the next one', () => {
    const callback = 'redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa';
    visit(`/sign-in?${callback}&acr_values=aal2`);
    captureCallback(env);
    expect([window.location.search, Cookies.get('acr_values')]).toEqual(['', 'aal2']);
    visit('/sign-in/second-factor');
    captureCallback(env);
    expect(Cookies.get('acr_values')).toBe('aal2');
    visit(`/sign-in?${callback}`);
    captureCallback(env);
    expect(Cookies.get('acr_values')).toBeUndefined();
  });

  it.each(['aal1', 'aal3', 'AAL2', 'aal2 aal1', ''])('does not keep acr_values=%s', (value) => {
    visit(`/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa&acr_values=${encodeURIComponent(value)}`);
    captureCallback(env);
    expect(Cookies.get('acr_values')).toBeUndefined();
  });

  describe('of a tab, while another tab waits with its own', () => {
    const callback = 'redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fa&acr_values=aal2';
    function visitInAnotherTab() {
      Cookies.set('callbackUrl', 'http://localhost:3001/b');
      Cookies.remove('acr_values');
    }

    it('is where this tab goes on, and says how many factors its sign-in needs', () => {
      visit(`/sign-in?${callback}`);
      captureCallback(env);
      visitInAnotherTab();
      expect(getDestination(env)).toBe('http://localhost:3001/a');
      claimCallback(env);
      expect(Cookies.get()).toMatchObject({ callbackUrl: 'http://localhost:3001/a', acr_values: 'aal2' });
    });

    it.each(['{', 'null', '7', '{}', '{"url":"https://evil.test/"}', '{"url":{}}'])(
      'is validated again when it is used: %s',
      (stored) => {
        window.sessionStorage.setItem('callback', stored);
        expect(getDestination(env)).toBe(dashboard);
      },
    );
  });

  describe('on the way to it', () => {
    const replace = vi.fn<Location['replace']>();
    beforeEach(() => void vi.spyOn(window.location, 'replace').mockImplementation(replace));
    afterEach(() => void vi.restoreAllMocks());
    const leavePage = () => window.dispatchEvent(new Event('pagehide'));
    const goTo = (destination: string, times: number) => {
      replace.mockClear();
      visit(`/sign-in?return_to=security`);
      captureCallback(env);
      visit(`/sign-in?redirect_uri=${encodeURIComponent(destination)}`);
      captureCallback(env);
      for (let time = 0; time < times; time += 1) goToCallback(env);
      return replace.mock.calls.flat();
    };

    it('another press leads to the same place, until the page is left', () => {
      const lesson = 'http://localhost:3001/a';
      expect(goTo(lesson, 2)).toEqual([lesson, lesson]);
      leavePage();
      expect(getDestination(env)).toBe(dashboard);
    });

    it('is forgotten once: a page restored by the Back button takes nothing from another tab', () => {
      goTo('http://localhost:3001/a', 2);
      leavePage();
      Cookies.set('callbackUrl', 'http://localhost:3001/b');
      leavePage();
      expect(Cookies.get('callbackUrl')).toBe('http://localhost:3001/b');
    });

    it.each(['add-passkey', 'keep-account'])('%s, named as a page to return to, comes before it, once', (step) => {
      replace.mockClear();
      const lesson = 'http://localhost:3001/a';
      visit(`/sign-in?redirect_uri=${encodeURIComponent(lesson)}`);
      captureCallback(env);
      visit(`/sign-in?return_to=${step}`);
      captureCallback(env);
      goToCallback(env);
      expect(replace.mock.calls.flat()).toEqual([`/sign-in/${step}`]);
      leavePage();
      visit(`/sign-in/${step}`);
      captureCallback(env);
      expect(getDestination(env)).toBe(lesson);
    });

    it('a sign-in that leads to the page to return to by itself leads on from there', () => {
      visit('/sign-in?return_to=add-passkey');
      captureCallback(env);
      // Within the document.
      visit('/sign-in/add-passkey');
      captureCallback(env);
      expect(getDestination(env)).toBe(dashboard);
    });

    describe('an app, which does not replace the page', () => {
      const app = `${env.mobileScheme}://oauth-callback?code=1`;
      const offer = vi.fn<typeof Router.replace>(() => Promise.resolve(true));
      beforeEach(() => {
        offer.mockClear();
        replace.mockClear();
        vi.useFakeTimers();
        vi.spyOn(Router, 'replace').mockImplementation(offer);
      });
      afterEach(() => void vi.useRealTimers());

      it('is offered again when it may not have opened, with the same callback', async () => {
        expect(goTo(app, 2)).toEqual([app, app]);
        vi.advanceTimersByTime(APP_TIMEOUT_MS - 1);
        await import('next/router');
        expect(offer).not.toHaveBeenCalled();
        vi.advanceTimersByTime(1);
        await vi.waitFor(() => expect(offer).toHaveBeenCalledWith('/mobile/account-selection'));
        expect(offer).toHaveBeenCalledTimes(1);
        expect(getDestination(env)).toBe(app);
        leavePage();
        expect(getDestination(env)).toBe(dashboard);
      });

      it('is kept by this tab alone, and takes nothing from another tab', () => {
        Cookies.set('callbackUrl', app);
        Cookies.set('acr_values', 'aal2');
        goToCallback(env);
        expect([Cookies.get('callbackUrl'), Cookies.get('acr_values')]).toEqual([undefined, undefined]);
        goToCallback(env);
        expect(replace.mock.calls.flat()).toEqual([app, app]);
        Cookies.set('callbackUrl', 'http://localhost:3001/b');
        leavePage();
        expect(getDestination(env)).toBe('http://localhost:3001/b');
      });

      it('is not offered once the page was left', async () => {
        goTo(app, 1);
        leavePage();
        vi.advanceTimersByTime(APP_TIMEOUT_MS);
        await import('next/router');
        expect(offer).not.toHaveBeenCalled();
      });

      it('is not offered where the destination is none', async () => {
        goTo('http://localhost:3001/a', 1);
        vi.advanceTimersByTime(APP_TIMEOUT_MS);
        await import('next/router');
        expect(offer).not.toHaveBeenCalled();
      });
    });
  });

  it.each(['//evil.test', 'https://evil.test', '__proto__', 'constructor', ''])('ignores return_to=%s', (name) => {
    visit(`/sign-in?return_to=${encodeURIComponent(name)}`);
    captureCallback(env);
    expect(getDestination(env)).toBe(dashboard);
  });
});

describe('the referrer', () => {
  const home = 'http://localhost:3001/';
  const course = 'http://localhost:3001/user/courses/algebra';

  /** Loads a new document, with fresh module state. */
  async function loadDocument(type: string, referrer: string) {
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type } as unknown as PerformanceEntry]);
    vi.spyOn(document, 'referrer', 'get').mockReturnValue(referrer);
    vi.resetModules();
    return (await import('@/lib/browser/callback')).captureCallback;
  }
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is stored after a navigation', async () => {
    (await loadDocument('navigate', course))(env);
    expect(getDestination(env)).toBe(course);
  });

  it.each(['reload', 'back_forward'])('is ignored after %s', async (type) => {
    Cookies.set('callbackUrl', course);
    (await loadDocument(type, home))(env);
    expect(getDestination(env)).toBe(course);
  });

  it('does not replace the redirect_uri on the next page', async () => {
    visit(`/sign-in?redirect_uri=${encodeURIComponent(course)}`);
    const start = await loadDocument('navigate', home);
    start(env);
    visit('/registration');
    start(env);
    expect(getDestination(env)).toBe(course);
  });

  describe('of a tab that has a callback of its own', () => {
    const other = 'http://localhost:3001/user/courses/geometry';
    beforeEach(() => window.sessionStorage.setItem('callback', JSON.stringify({ url: course, acrValues: 'aal2' })));
    it.each([
      ['opened by a bookmark or an emailed link', 'navigate', '', other],
      ['opened from another site', 'navigate', 'https://search.test/', other],
      ['opened from a page of this app', 'navigate', 'http://localhost:3000/registration', course],
      ['loaded once more', 'reload', '', course],
      ['gone back to', 'back_forward', 'https://search.test/', course],
    ])('%s', async (_how, type, referrer, expected) => {
      Cookies.set('callbackUrl', other);
      (await loadDocument(type, referrer))(env);
      expect(getDestination(env)).toBe(expected);
    });

    it('back from a provider', async () => {
      rememberRedirect({ provider: 'google.com', mode: 'signIn' });
      (await loadDocument('navigate', 'https://provider.test/'))(env);
      expect(getDestination(env)).toBe(course);
      expect(Cookies.get('callbackUrl')).toBeUndefined();
    });
  });

  it('is used once after a link on an own page', async () => {
    const start = await loadDocument('navigate', 'http://localhost:3000/sign-in?return_to=security');
    visit('/registration');
    start(env);
    expect(getDestination(env)).toBe('/security');
    window.sessionStorage.clear();
    start(env);
    expect(getDestination(env)).toBe(dashboard);
  });

  it('does not prevent an own page from setting its return page', async () => {
    const start = await loadDocument('navigate', home);
    start(env);
    visit('/sign-in?return_to=security');
    start(env);
    expect(getDestination(env)).toBe('/security');
  });
});
