// Measures the development loop, on a copy of the source without a cache: npm run bench:dev
import os from 'node:os';
import { startDevCopy } from '../scripts/lib/dev-copy.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { launchBrowser } from './lib/stage.mjs';

const FIRST_PAGE_SECONDS = 15;
const CHANGE_SECONDS = 2;

stopServicesOnExit();
const browser = await launchBrowser();
const page = await browser.newPage();
/** @type {string[]} */
const errors = [];
page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
page.on('pageerror', (error) => errors.push(error.message));
console.log(`load average ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} processors`);

let begin = performance.now();
const dev = await startDevCopy();
try {
  await page.goto(`${dev.appOrigin}/sign-in`);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  print('from npm run dev to the first page', FIRST_PAGE_SECONDS);
  const heading = page.getByRole('heading', { level: 1 });

  edit('locales/en/sign-in.json', '"heading": "Sign in"', '"heading": "Edited"');
  await heading.filter({ hasText: 'Edited' }).waitFor();
  print('a text', CHANGE_SECONDS);
  edit('components/sign-in/sign-in-screen.tsx', '<SignInMethods ', '<p>Edited component</p><SignInMethods ');
  await page.getByText('Edited component').waitFor();
  print('a component', CHANGE_SECONDS);
  edit('components/ui/tokens.css', ':root {', ':root { --edited: yes;');
  await page.waitForFunction(
    () => getComputedStyle(document.documentElement).getPropertyValue('--edited') !== '',
    undefined,
    { polling: 'raf' },
  );
  print('a style', CHANGE_SECONDS);
  console.log(`  ${'console errors'.padEnd(40)} ${String(errors.length).padStart(5)}`);
  for (const error of errors) console.log(`    ${error}`);
} finally {
  await browser.close();
  await dev.remove();
}
process.exit(errors.length > 0 ? 1 : process.exitCode);

/** @param {string} file @param {string} from @param {string} to */
function edit(file, from, to) {
  begin = performance.now();
  dev.edit(file, from, to);
}

/** @param {string} what @param {number} budget seconds since `begin` */
function print(what, budget) {
  const seconds = (performance.now() - begin) / 1000;
  if (seconds > budget) process.exitCode = 1;
  console.log(`  ${what.padEnd(40)} ${seconds.toFixed(1).padStart(5)} s  (at most ${budget} s)`);
}
