import path from 'node:path';
import { recordEvent } from './test-events.mjs';

/** Reports finished Playwright tests to the test runner. */
export default class EventReporter {
  /** @param {import('@playwright/test/reporter').FullConfig} _config @param {import('@playwright/test/reporter').Suite} suite */
  onBegin(_config, suite) {
    recordEvent({ files: 1 });
    recordEvent({ file: 'all', planned: suite.allTests().length });
  }

  /** @param {import('@playwright/test/reporter').TestCase} test @param {import('@playwright/test/reporter').TestResult} result */
  onTestEnd(test, result) {
    const isAsExpected = result.status === test.expectedStatus || result.status === 'skipped';
    if (!isAsExpected && result.retry < test.retries) return;
    const titles = test.titlePath().slice(3).join(' › ');
    const ms = test.results.reduce((sum, { duration }) => sum + duration, 0);
    recordEvent({ id: test.id, name: `${path.basename(test.location.file)} › ${titles}`, ms: Math.round(ms) });
  }

  /** The other reporters print to stdout. */
  printsToStdio() {
    return false;
  }
}
