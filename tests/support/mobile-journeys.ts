import { expect, type Page } from '@playwright/test';

const SCHEME = 'campus:';

/**
 * Takes the place of the mobile app: records what the page opens it with. Without it some browsers ask whether to open
 * the app, and their question keeps every click from the page, also from the next one of the same site.
 */
export const installApp = (page: Page) =>
  page.addInitScript((scheme) => {
    const { navigation } = globalThis as unknown as { navigation: EventTarget };
    navigation.addEventListener('navigate', (event) => {
      const { destination } = event as Event & { destination: { url: string } };
      if (!destination.url.startsWith(scheme)) return;
      event.preventDefault();
      document.documentElement.dataset.openedApp = destination.url;
    });
  }, SCHEME);

/** The URL that the page has opened the app with, which its link opens again. */
export async function getCallback(page: Page): Promise<string> {
  const link = page.getByRole('link', { name: 'Open the app' });
  const address = (await link.getAttribute('href')) ?? '';
  await expect(page.locator('html')).toHaveAttribute('data-opened-app', address);
  return address;
}
