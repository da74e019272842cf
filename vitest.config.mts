import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './scripts/lib/paths.mjs';
import {
  chosenName,
  getDistance,
  isNightly,
  leftOut,
  listChanged,
  startsWithNearest,
} from './scripts/lib/test-tiers.mjs';

const alias = { '@': path.resolve(import.meta.dirname) };

/** Unit tests that need a page. */
const DOM = '{lib,components,tests/repo}/**/*.dom.test.{ts,tsx}';
/** Half of what they allocate is garbage at once: with more room they need a twentieth less CPU time. */
const room = { execArgv: ['--max-semi-space-size=64'] };
/** A slow response on a busy machine must not fail a test. */
const polling = { poll: { timeout: 60_000 } };

/**
 * First the files that are nearest to the change, where the run may end before its last one. Otherwise the longest: they are among those of
 * the second tier with the least text, because their tests are in tests/support. By default they would be the last, and run alone.
 */
class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => isNightly(moduleId);
    const longFirst = [...sorted.filter(isLong).reverse(), ...sorted.filter((file) => !isLong(file))];
    if (!startsWithNearest) return longFirst;
    const changed = listChanged();
    const distances = new Map(files.map((file) => [file, getDistance(path.relative(root, file.moduleId), changed)]));
    return longFirst.sort((one, other) => (distances.get(one) ?? 0) - (distances.get(other) ?? 0));
  }
}

export default defineConfig({
  resolve: { alias },
  test: {
    sequence: { sequencer: Order },
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          ...room,
          include: ['{cli,lib,pages,components,scripts,examples,tests/repo}/**/*.test.ts', '*.test.ts'],
          exclude: [...configDefaults.exclude, DOM],
          environment: 'node',
          // A process for each file takes more CPU time than the tests.
          isolate: false,
          setupFiles: ['tests/support/cpu-time.ts', 'tests/support/waiting.ts', 'tests/support/fresh-modules.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: polling,
        },
      },
      {
        resolve: { alias },
        test: {
          // A process for each: what is left of one page must not reach the next.
          name: 'unit-dom',
          ...room,
          include: [DOM],
          environment: 'happy-dom',
          setupFiles: ['tests/support/cpu-time.ts', 'tests/support/waiting.ts', 'tests/support/dom-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: polling,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          ...room,
          include: [`tests/integration/**/${chosenName}.test.ts`],
          exclude: [...configDefaults.exclude, 'tests/integration/attacks/**', ...leftOut],
          environment: 'node',
          globalSetup: ['tests/support/emulator-setup.ts'],
          // As above: libraries alone took 1.5 s of CPU time in the process of each file.
          isolate: false,
          setupFiles: [
            'tests/support/cpu-time.ts',
            'tests/support/waiting.ts',
            'tests/support/fresh-modules.ts',
            'tests/support/environment.ts',
          ],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: polling,
        },
      },
      {
        resolve: { alias },
        test: {
          // Attack scenarios, over HTTP against the built app.
          name: 'attacks',
          ...room,
          include: [`tests/integration/attacks/**/${chosenName}.test.ts`],
          exclude: [...configDefaults.exclude, ...leftOut],
          environment: 'node',
          globalSetup: ['tests/support/attacks-setup.ts'],
          setupFiles: ['tests/support/cpu-time.ts', 'tests/support/waiting.ts'],
          // Some repeat a race many times.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: polling,
        },
      },
    ],
  },
});
