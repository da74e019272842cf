import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import { SCREENS_FOLDER, root } from './paths.mjs';
import { findBrowser } from './test-tools.mjs';

const THEMES = /** @type {const} */ (['light', 'dark']);
const LAST = '.desktop.light.webp';
/**
 * Sizes in pixels. At this height, the widths `phone` and `desktop` show a first screen of 390 × 844 and of 1280 × 800.
 */
const THUMBNAIL = { height: 300, phone: 139, desktop: 480 };
const COLUMNS = 3;
/** WebP quality in percent, which keeps a sheet below 600 KB. */
const QUALITY = 50;

/** Makes docs/images/screens-{theme}.webp of all screens and their states, on phone and desktop. */
export async function writeContactSheets() {
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const page = await browser.newPage();
  for (const theme of THEMES) {
    const file = path.join(SCREENS_FOLDER, `${theme}.html`);
    writeFileSync(file, renderSheet(theme));
    await page.goto(pathToFileURL(file).href);
    const clip = await page.locator('body').boundingBox();
    if (!clip) throw new Error('The contact sheet is empty.');
    const session = await page.context().newCDPSession(page);
    const picture = { format: 'webp', quality: QUALITY, captureBeyondViewport: true, clip: { ...clip, scale: 1 } };
    const { data } = await session.send('Page.captureScreenshot', /** @type {never} */ (picture));
    const sheet = `docs/images/screens-${theme}.webp`;
    writeFileSync(path.join(root, sheet), Buffer.from(data, 'base64'));
    console.log(`${sheet}; the pictures in full: ${file}`);
  }
  await browser.close();
}

/** @param {string} theme */
function renderSheet(theme) {
  const screens = readdirSync(SCREENS_FOLDER)
    .filter((file) => file.endsWith(LAST))
    .map((file) => file.slice(0, -LAST.length))
    // Sorts the states of a screen after the screen, so that `registration.errors` comes before `registration-success`.
    .sort((a, b) => (a.replace('.', ' ') < b.replace('.', ' ') ? -1 : 1));
  return `<!doctype html>
<meta charset="utf-8">
<title>Screens, ${theme}</title>
<style>${STYLE}</style>
<body class="${theme}">
<h1>Screens <small>${theme} theme, ${screens.length} states, phone and desktop</small></h1>
<main>${screens.map((screen) => renderFigure(screen, theme)).join('\n')}</main>`;
}

/** @param {string} screen @param {string} theme */
function renderFigure(screen, theme) {
  const [name = '', state = ''] = screen.split('.').map((words) => words.replaceAll('-', ' '));
  const pictures = ['phone', 'desktop'].map((device) => {
    const file = `${screen}.${device}.${theme}.webp`;
    return `<a href="${file}"><img class="${device}" src="${file}" alt="${screen}, ${device}"></a>`;
  });
  return `<figure><figcaption><b>${name}</b> ${state}</figcaption>${pictures.join('')}</figure>`;
}

const STYLE = `
  body { box-sizing: border-box; width: max-content; margin: 0; padding: 40px; font: 17px system-ui, sans-serif; }
  .light { background: #e9e6e0; color: #1c2230; --line: #cfc9be; }
  .dark { background: #05070b; color: #eef0f4; --line: #2b3342; }
  h1 { margin: 0 0 32px; font-size: 36px; }
  small { margin-left: 12px; font-size: 21px; font-weight: 400; opacity: 0.7; }
  main { display: grid; grid-template-columns: repeat(${COLUMNS}, max-content); gap: 36px 40px; }
  figure { display: grid; grid-template-columns: max-content max-content; gap: 10px 12px; margin: 0; }
  figcaption { grid-column: 1 / -1; }
  figcaption b::first-letter { text-transform: uppercase; }
  figcaption b { display: inline-block; margin-right: 6px; }
  img { display: block; height: ${THUMBNAIL.height}px; object-fit: cover; object-position: top; outline: 1px solid var(--line); border-radius: 6px; }
  .phone { width: ${THUMBNAIL.phone}px; }
  .desktop { width: ${THUMBNAIL.desktop}px; }`;
