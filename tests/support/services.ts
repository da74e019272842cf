import type { BrowserContext, Page } from '@playwright/test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startAnalyticsService } from './analytics-service';
import { startErrorService } from './error-service';
import { test as base } from './fixtures';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startPlatform } from '../../scripts/lib/services.mjs';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { productionLimits } from './time-limits';

export type Services = {
  analytics: Awaited<ReturnType<typeof startAnalyticsService>>;
  errors: Awaited<ReturnType<typeof startErrorService>>;
  stack: { endpoints: Endpoints; appLog: string };
};

/**
 * Starts an app with a platform beside the shared stack. Its analytics and error services listen on loopback. The
 * platform's API is unreachable.
 */
export const test = base.extend<object, { services: Services }>({
  services: [
    async ({ app: shared }, use) => {
      const [analytics, errors] = await Promise.all([startAnalyticsService(), startErrorService()]);
      const env = {
        ...productionLimits,
        NEXT_PUBLIC_SENTRY_DSN: errors.dsn,
        NEXT_PUBLIC_SENTRY_ENVIRONMENT: 'test',
        NEXT_PUBLIC_RELEASE: 'abc1234',
        NEXT_PUBLIC_MIXPANEL_TOKEN: 'project-token',
        NEXT_PUBLIC_MIXPANEL_API_HOST: analytics.url,
        PLATFORM_API_URL: 'http://127.0.0.1:9',
      };
      const [port = 0] = await freePorts(1);
      const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
      const endpoints = { ...shared, platformOrigin: `http://localhost:${port}` };
      const app = await startOtherApp(endpoints, { ...env, WEBHOOK_SECRET: webhookSecret });
      const { appOrigin } = app.endpoints;
      const dir = mkdtempSync(path.join(os.tmpdir(), 'services-'));
      const platform = await startPlatform({
        port,
        identityOrigin: appOrigin,
        checkOrigin: appOrigin,
        webhookSecret,
        dir,
      });
      await use({ analytics, errors, stack: { endpoints: app.endpoints, appLog: app.logFile } });
      await Promise.all([app.stop(), platform.stop(), analytics.stop(), errors.stop()]);
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

/** The learner consents to analytics, and all traces and replays are sampled. */
export async function agree(context: BrowserContext, { stack }: Services): Promise<void> {
  await context.addCookies([{ name: 'marketing-consent', value: 'true', url: stack.endpoints.appOrigin }]);
  await context.addInitScript(() => {
    const random = Math.random.bind(Math);
    Math.random = () => random() * 0.09;
  });
}

/** Strings in the two libraries that survive minification. */
export const ERROR_SERVICE = /replay_recording/;
export const ANALYTICS = /MIXPANEL REQUEST/;

/** Tracks which of the two libraries a page has loaded or failed to load. */
export function watchLibraries(page: Page): { loaded: string[]; refused: string[] } {
  const seen = { loaded: [] as string[], refused: [] as string[] };
  page.on('requestfailed', (request) => request.url().endsWith('.js') && seen.refused.push(request.url()));
  page.on('response', async (response) => {
    if (!response.url().endsWith('.js')) return;
    const text = await response.text().catch(() => '');
    if (ERROR_SERVICE.test(text)) seen.loaded.push('error service');
    if (ANALYTICS.test(text)) seen.loaded.push('analytics');
  });
  return seen;
}

export const getEvents = ({ analytics }: Services, name: string) =>
  analytics.events.filter(({ event }) => event === name);

/** Throws an error on the page, as one of our scripts or a third-party script would. */
export async function failOnPage(page: Page, message: string, file = '/_next/static/chunks/ours.js'): Promise<void> {
  await page.evaluate(failIn, [message, file] as const);
}

/** Runs in the browser. */
export function failIn([message, path]: readonly [message: string, path: string]): void {
  const error = new TypeError(message);
  const filename = new URL(path, window.location.origin).href;
  error.stack = `TypeError: ${message}\n    at work (${filename}:1:1)`;
  window.dispatchEvent(new ErrorEvent('error', { error, message, filename, lineno: 1, colno: 1 }));
}
