import path from 'node:path';
import { root } from './paths.mjs';

/** Reports the tests of vitest and Playwright to the test runner (test-report.mjs). */
export default class TestReporter {
  /** @param {readonly import('vitest/node').TestSpecification[]} specifications */
  onTestRunStart(specifications) {
    for (const { moduleId } of specifications) send({ file: path.relative(root, moduleId) });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleCollected(module) {
    send({ file: module.relativeModuleId, planned: [...module.children.allTests()].length });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const file = module.relativeModuleId;
    // vitest never reports a file that fails to load as collected.
    this.onTestModuleCollected(module);
    send({ file, cpuMs: module.meta().cpuMs ?? 0 });
    const [error] = module.errors();
    if (error) send({ file, test: { name: file, state: 'failed', error: error.message } });
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const file = test.module.relativeModuleId;
    const { state, errors } = test.result();
    if (state === 'pending') return;
    send({ file, test: { name: `${file} › ${test.fullName}`, state, error: errors?.[0]?.message } });
  }

  /** @param {unknown} _modules @param {readonly { message: string }[]} errors errors outside of tests */
  onTestRunEnd(_modules, errors) {
    for (const error of errors) this.onError(error);
  }

  /** @param {unknown} _config @param {import('@playwright/test/reporter').Suite} suite */
  onBegin(_config, suite) {
    const files = suite.allTests().map(({ location }) => path.relative(root, location.file));
    for (const file of new Set(files)) send({ file, planned: files.filter((each) => each === file).length });
  }

  /** @param {import('@playwright/test/reporter').TestCase} test @param {import('@playwright/test/reporter').TestResult} result */
  onTestEnd(test, { error, annotations, attachments }) {
    const { location } = test;
    const file = path.relative(root, location.file);
    const cpuMs = Number(annotations.find(({ type }) => type === 'cpu')?.description ?? 0);
    const name = `${path.basename(file)}:${location.line} ${test.titlePath().slice(3).join(' › ')}`;
    const files = attachments.flatMap((attachment) => (attachment.path ? [path.relative(root, attachment.path)] : []));
    const outcome = test.outcome();
    const state = outcome === 'skipped' ? 'skipped' : outcome === 'expected' ? 'passed' : 'failed';
    send({ file, cpuMs, test: { name, state, error: error?.message, files } });
  }

  /** @param {{ message?: string }} error an error outside of tests, such as an unhandled error in the app's log */
  onError({ message = '' }) {
    send({ file: '', planned: 0, test: { name: 'outside of tests', state: 'failed', error: message } });
  }
}

/** @param {import('./test-report.mjs').TestEvent} event */
function send(event) {
  process.send?.(event);
}
