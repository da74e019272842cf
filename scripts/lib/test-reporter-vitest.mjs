import { recordEvent } from './test-events.mjs';

/** Reports finished vitest tests to the test runner. */
export default class EventReporter {
  /** @param {readonly import('vitest/node').TestSpecification[]} specifications */
  onTestRunStart(specifications) {
    recordEvent({ files: specifications.length });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleCollected(module) {
    recordEvent({ file: module.moduleId, planned: [...module.children.allTests()].length });
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    // A file that fails to load is never reported as collected.
    this.onTestModuleCollected(module);
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const name = `${test.module.relativeModuleId} › ${test.fullName}`;
    recordEvent({ id: test.id, name, ms: Math.round(test.diagnostic()?.duration ?? 0) });
  }
}
