import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

const folder = path.join(root, 'docs/screens');
const FIRST = '.phone.light.webp';
/** Device, theme, and display width in the gallery, in pixels. */
const VARIANTS = /** @type {const} */ ([
  ['phone', 'light', 160],
  ['phone', 'dark', 160],
  ['desktop', 'light', 320],
  ['desktop', 'dark', 320],
]);

/** Writes the page that shows all screenshots: a section for each screen, its states below it. */
export function writeGallery() {
  const screens = readdirSync(folder)
    .filter((file) => file.endsWith(FIRST))
    .map((file) => file.slice(0, -FIRST.length))
    .sort();
  const intro =
    'Every screen and its states, taken from the running product by `npm run screens`: phone (390 px) and desktop\n(1280 px), light and dark.';
  const sections = screens.map((screen) => `## ${titleOf(screen)}\n\n${rowOf(screen)}\n`);
  writeFileSync(path.join(folder, 'README.md'), ['# Screens\n', `${intro}\n`, ...sections].join('\n'));
}

/** @param {string} screen */
function titleOf(screen) {
  const words = screen.replaceAll('-', ' ').replace('.', ': ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {string} screen */
function rowOf(screen) {
  return VARIANTS.map(
    ([device, theme, width]) =>
      `<img src="${screen}.${device}.${theme}.webp" width="${width}" alt="${screen}, ${device}, ${theme}">`,
  ).join('\n');
}
