import { expect, type Page } from '@playwright/test';

const SCHEME = 'campus:';

/**
 * Replaces the mobile app and records the URL that the page opens. Without it, some browsers ask whether to open the
 * app. Their question blocks every click on this page and on the next page of the site.
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

/** Returns the URL with which the page has opened the app. The page's link opens it again. */
export async function getCallback(page: Page): Promise<string> {
  const link = page.getByRole('link', { name: 'Open the app' });
  const address = (await link.getAttribute('href')) ?? '';
  await expect(page.locator('html')).toHaveAttribute('data-opened-app', address);
  return address;
}
