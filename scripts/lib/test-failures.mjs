import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {{ title: string, fullName: string, status: string, failureMessages: string[] }} Assertion
 * @typedef {{ name: string, status: string, message: string, assertionResults: Assertion[] }} TestFile
 * @typedef {{ status: string, results: { error?: { message?: string } }[] }} BrowserTest
 * @typedef {{ title: string, line: number, tests: BrowserTest[] }} Spec
 * @typedef {{ file: string, suites?: Suite[], specs: Spec[] }} Suite
 */

/**
 * Lists the failed tests of a run, each with the first line of its error. Printed next to the step, before its output:
 * a truncated log must still show which tests failed.
 * @param {{ testResults: TestFile[] }} report of vitest's JSON reporter
 * @param {string} root folder that paths are shown relative to
 * @returns {string[]}
 */
export function getVitestFailures({ testResults }, root) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(root, name);
    const failed = assertionResults.filter((each) => each.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}: ${getFirstLine(message)}`] : [];
    return failed.map((each) => `${file} › ${each.fullName}: ${getFirstLine(each.failureMessages[0])}`);
  });
}

/**
 * Lists the browser tests that failed.
 * @param {{ suites: Suite[], errors?: { message?: string }[] }} report of Playwright's JSON reporter
 * @returns {string[]}
 */
export function getPlaywrightFailures({ suites, errors = [] }) {
  return [...errors.map(({ message }) => `${getFirstLine(message)}`), ...suites.flatMap(getSuiteFailures)];
}

/** @param {Suite} suite @returns {string[]} */
function getSuiteFailures({ file, suites = [], specs }) {
  const own = specs.flatMap(({ title, line, tests }) =>
    tests.flatMap(({ status, results }) => {
      const error = getFirstLine(results.find((result) => result.error)?.error?.message);
      return status === 'unexpected' ? [`${file}:${line} ${title}: ${error}`] : [];
    }),
  );
  return [...own, ...suites.flatMap(getSuiteFailures)];
}

/** @param {string | undefined} text @returns {string} */
function getFirstLine(text = '') {
  return stripVTControlCharacters(text).trim().split('\n')[0] ?? '';
}
