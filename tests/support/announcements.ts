import type { Page } from '@playwright/test';

/** Texts that a page shows while a slow machine loads parts of it. */
const WAITING = ['One moment', 'Loading'];
/** Prefix of announcements in the page's console. */
const MARK = 'announced: ';

/**
 * Collects the announcements of live regions across all pages of the journey, in order. It omits texts that appear only
 * on a slow machine. Like a screen reader, it does not announce text that is in a region when the page is parsed.
 */
export async function listen(page: Page): Promise<string[]> {
  const said: string[] = [];
  // Announcements are passed by the console, because a call of an exposed function is lost if the page is left before
  // it is handled.
  page.on('console', (message) => {
    const line = message.text();
    const text = line.slice(MARK.length);
    if (line.startsWith(MARK) && !WAITING.includes(text)) said.push(text);
  });
  await page.addInitScript(watchRegions, MARK);
  return said;
}

/** Runs in the browser. */
function watchRegions(mark: string): void {
  const known = new WeakMap<Element, string>();
  const regions = () => {
    const announcer = document.querySelector('next-route-announcer')?.shadowRoot?.firstElementChild;
    const own = [...document.querySelectorAll('[role="status"], [role="alert"], [aria-live]')];
    return announcer ? [...own, announcer] : own;
  };
  const listenTo = (saysIt: boolean) => {
    for (const region of regions()) {
      // For an element that is not rendered, `innerText` is its text, which is not announced.
      const words = region instanceof HTMLElement && region.checkVisibility() ? region.innerText : '';
      const text = words.replace(/\s+/g, ' ').trim();
      // Some screen readers do not read a polite region that is inserted together with its text.
      const isHeard = known.has(region) || region.matches('[role="alert"], [aria-live="assertive"]');
      if (text !== '' && text !== known.get(region) && saysIt && isHeard) console.debug(mark + text);
      known.set(region, text);
    }
  };
  const changes = { childList: true, subtree: true, characterData: true };
  const watcher = new MutationObserver(() => {
    // Every change of a usable page is news, even while a slow machine still loads its pictures.
    listenTo(document.readyState === 'complete' || document.documentElement.hasAttribute('data-ready'));
    const announcer = document.querySelector('next-route-announcer')?.shadowRoot;
    // Observing the same node twice has no further effect.
    if (announcer) watcher.observe(announcer, changes);
  });
  watcher.observe(document, changes);
}
