import { chromium } from '@playwright/test';
import { stopServicesOnExit } from '../../scripts/lib/processes.mjs';
import { startStack } from '../../scripts/lib/stack.mjs';
import { findBrowser } from '../../scripts/lib/test-tools.mjs';

/**
 * Starts the whole product and a browser for one bench.
 * @param {string} name folder name for logs and data
 * @param {(stage: { endpoints: import('../../scripts/lib/stack.mjs').Endpoints, browser: import('@playwright/test').Browser }) => Promise<void>} bench
 */
export async function onStage(name, bench) {
  stopServicesOnExit();
  const stack = await startStack({ name });
  const browser = await launchBrowser();
  try {
    await bench({ endpoints: stack.endpoints, browser });
  } finally {
    await browser.close();
    await stack.stop();
  }
}

export function launchBrowser() {
  return chromium.launch({
    executablePath: findBrowser(),
    args: ['--disable-gpu', '--disable-quic', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}
