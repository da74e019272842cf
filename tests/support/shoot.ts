import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { SCREENS_FOLDER } from '../../scripts/lib/paths.mjs';

const DEVICES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
const THEMES = ['light', 'dark'] as const;
/** WebP quality, in percent: text stays sharp, an image has 10 to 30 KB. */
const QUALITY = 60;
const TALLEST = 1_800;

const fileOf = (screen: string, device: string, theme: string) => `${screen}.${device}.${theme}.webp`;

/**
 * Takes screenshots of the current page, on both devices and in both themes.
 * @param name of the screen and its state
 */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENS_FOLDER, { recursive: true });
  const browser = await page.context().newCDPSession(page);
  for (const [device, size] of Object.entries(DEVICES)) {
    for (const theme of THEMES) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.evaluate(settled);
      // Elements fixed to the viewport's height span the full page in the screenshot.
      const whole = await page.evaluate(() => document.documentElement.scrollHeight);
      const height = Math.min(TALLEST, Math.max(size.height, whole));
      await page.setViewportSize({ width: size.width, height });
      const clip = { x: 0, y: 0, width: size.width, height, scale: 1 };
      await page.evaluate(settled);
      const picture = { format: 'webp', quality: QUALITY, clip } as const;
      const { data } = await browser.send('Page.captureScreenshot', picture);
      writeFileSync(path.join(SCREENS_FOLDER, fileOf(name, device, theme)), Buffer.from(data, 'base64'));
    }
  }
}

/** Waits until fonts and images are loaded, and two frames are painted. Runs in the browser. */
async function settled(): Promise<void> {
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
