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
const DOM = `{lib,components,tests/repo}/**/${chosenName}.dom.test.{ts,tsx}`;
/** Half of the allocations are garbage at once. With more room, the tests need a twentieth less CPU time. */
const room = { execArgv: ['--max-semi-space-size=64'] };
/** A slow response on a busy machine must not fail a test. */
const polling = { poll: { timeout: 60_000 } };

/**
 * If the run may end before its last file, run the files first that are nearest to the change. Otherwise, run the
 * longest files first. These are the nightly files with the least text, because their tests are in tests/support. By
 * default, they would run last and alone.
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
          include: [
            `{cli,lib,pages,components,scripts,examples,tests/repo}/**/${chosenName}.test.ts`,
            `${chosenName}.test.ts`,
          ],
          exclude: [...configDefaults.exclude, DOM, ...leftOut],
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
          name: 'unit-dom',
          ...room,
          include: [DOM],
          environment: './tests/support/page-environment.ts',
          // Files share processes, but each file has its own page.
          isolate: false,
          sequence: { setupFiles: 'list' },
          setupFiles: [
            'tests/support/cpu-time.ts',
            'tests/support/waiting.ts',
            'tests/support/dom-setup.ts',
            'tests/support/fresh-modules.ts',
          ],
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
          // Files share processes, because loading libraries for each file takes 1.5 s of CPU time.
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
          // Some scenarios repeat a race many times.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: polling,
        },
      },
    ],
  },
});
