import path from 'node:path';
import { root } from './paths.mjs';

/** Reports the tests of vitest and of Playwright to the test runner. */
export default class TestReporter {
  /** @param {readonly import('vitest/node').TestSpecification[]} specifications */
  onTestRunStart(specifications) {
    send({ files: specifications.length });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleCollected(module) {
    send({ file: module.moduleId, planned: [...module.children.allTests()].length });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    // A file that fails to load is never reported as collected.
    this.onTestModuleCollected(module);
    send({ file: module.relativeModuleId, cpuMs: module.meta().cpuMs ?? 0 });
    const [error] = module.errors();
    if (error)
      send({ id: module.moduleId, name: module.relativeModuleId, ms: 0, isPassed: false, error: error.message });
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state === 'skipped' || state === 'pending') return;
    const name = `${test.module.relativeModuleId} › ${test.fullName}`;
    const ms = test.diagnostic()?.duration ?? 0;
    send({ id: test.id, name, ms, isPassed: state === 'passed', error: errors?.[0]?.message });
  }

  /** @param {unknown} _modules @param {readonly { message: string }[]} errors outside of tests */
  onTestRunEnd(_modules, errors) {
    for (const error of errors) this.onError(error);
  }

  /** @param {unknown} _config @param {import('@playwright/test/reporter').Suite} suite */
  onBegin(_config, suite) {
    send({ files: 1 });
    send({ file: 'all', planned: suite.allTests().length });
  }

  /** @param {import('@playwright/test/reporter').TestCase} test @param {import('@playwright/test/reporter').TestResult} result */
  onTestEnd(test, { duration, error, annotations, attachments }) {
    if (test.outcome() === 'skipped') return;
    const { file, line } = test.location;
    const cpuMs = Number(annotations.find(({ type }) => type === 'cpu')?.description ?? 0);
    send({ file: path.relative(root, file), cpuMs });
    const name = `${file.split('/').at(-1)}:${line} ${test.titlePath().slice(3).join(' › ')}`;
    const files = attachments.flatMap((attachment) => (attachment.path ? [path.relative(root, attachment.path)] : []));
    const isPassed = test.outcome() === 'expected';
    send({ id: test.id, name, ms: duration, isPassed, error: error?.message, files });
  }

  /** @param {{ message?: string }} error outside of tests, such as one in the log of the app */
  onError({ message = '' }) {
    send({ id: message, name: 'outside of tests', ms: 0, isPassed: false, error: message });
  }
}

/** @param {import('./test-progress.mjs').TestEvent} event */
function send(event) {
  process.send?.(event);
}
