import { setTimeout as sleep } from 'node:timers/promises';
import type { CookieJar } from './client';
import type { Deployment } from './deployment';
import { mailsBesidesAlerts, readMailbox } from './mail';
import type { Build } from './other-build';

/** Pause between requests of each kind, as for a small school. */
const PAUSE_MS = 50;
const SIGN_IN_PAUSE_MS = 400;
const EMAIL_PAUSE_MS = 1_500;

/**
 * Starts a small load from one network: session checks, pages, scripts, sign-ins and reset emails, each in sequence.
 * @param getBuilds returns the builds of the open pages; only files that are already released are requested
 */
export function startLoad(deployment: Deployment, getBuilds: () => readonly Build[]) {
  const { origin, shared, accounts } = deployment;
  const failed: string[] = [];
  const sessions: CookieJar[] = [];
  const addresses: string[] = [];
  const released = new Set<Build>(getBuilds().slice(0, 1));
  let [count, isOver] = [0, false];

  const expectStatus = (what: string, { status, body }: { status: number; body?: unknown }) => {
    count += 1;
    const { code } = (body ?? {}) as { code?: string };
    if (status !== 200) failed.push([what, status, code].join(' '));
    return status === 200;
  };
  const repeat = async (pause: number, what: string, once: () => Promise<unknown>) => {
    while (!isOver) {
      await once().catch((error: unknown) => failed.push(`${what}: ${String(error)}`));
      await sleep(pause);
    }
  };
  const signIn = async () => {
    const browser = deployment.newBrowser();
    const token = await accounts.idToken(await accounts.create());
    const answer = await deployment.call(browser, 'create-user-session', { token });
    if (expectStatus('sign-in', answer)) sessions.push(browser);
  };
  const check = async () => {
    const browser = sessions[count % (sessions.length || 1)];
    if (browser) expectStatus('session check', await deployment.call(browser, 'check-auth-status'));
  };
  const pages = ['/sign-in', '/registration', '/forget-password'];
  const openPage = async () => {
    const path = pages[count % pages.length] ?? '';
    const response = await fetch(origin + path);
    await response.text();
    expectStatus(path, response);
  };
  const openSecurity = async () => {
    const browser = sessions.at(-1);
    if (!browser) return;
    const response = await fetch(`${origin}/security`, { headers: { cookie: browser.cookieHeader } });
    await response.text();
    expectStatus('/security', response);
  };
  const loadScript = async () => {
    const files = [...released].flatMap((build) => build.files);
    const file = files[count % files.length] ?? '';
    const response = await fetch(`${origin}/_next/static/${file}`);
    await response.text();
    expectStatus(file, response);
  };
  const askForReset = async () => {
    const { email } = await accounts.create();
    const answer = await deployment.call(deployment.newBrowser(), 'password-reset', { email });
    if (expectStatus('reset', answer)) addresses.push(email);
  };
  const running = [
    repeat(SIGN_IN_PAUSE_MS, 'sign-in', signIn),
    repeat(PAUSE_MS, 'session check', check),
    repeat(PAUSE_MS, 'page', openPage),
    repeat(PAUSE_MS, '/security', openSecurity),
    repeat(PAUSE_MS, 'script', loadScript),
    repeat(EMAIL_PAUSE_MS, 'reset', askForReset),
  ];
  return {
    /** Waits for this many more requests. */
    letPass: async (more: number) => {
      for (const until = count + more; count < until;) await sleep(PAUSE_MS);
    },
    isReleased: (build: Build) => released.add(build),
    end: async () => {
      isOver = true;
      await Promise.all(running);
      const lost: string[] = [];
      for (const browser of sessions) {
        const { status, body } = await deployment.call(browser, 'check-auth-status');
        if (status !== 200) lost.push(`${String(status)} ${String(body?.code)}`);
      }
      const notOnce: string[] = [];
      for (const address of addresses) await mailsBesidesAlerts(shared, address).catch(() => notOnce.push('lost'));
      for (const address of addresses) {
        const resets = (await readMailbox(shared, address)).length;
        if (resets > 1) notOnce.push(`${String(resets)} times`);
      }
      return {
        requests: { count, failed },
        sessions: { count: sessions.length, lost },
        emails: { count: addresses.length, notOnce },
      };
    },
  };
}
