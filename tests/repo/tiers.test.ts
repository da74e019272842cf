import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { paths } from '@/lib/shared/paths';
import { root } from '../../scripts/lib/paths.mjs';
import { isNightly } from '../../scripts/lib/test-tiers.mjs';

// Tests of behavior that a change must not break run before it lands, not at night (CONTRIBUTING.md, "Two tiers").

const FOLDERS = ['cli', 'components', 'examples', 'lib', 'pages', 'scripts', 'tests'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const firstTier = files.filter((file) => /\.(test|spec)\.tsx?$/.test(file) && !isNightly(file));

describe.each(['Threats', 'ASVS'])('what tests cite as %s', (kind) => {
  const citedBy = (some: string[]) =>
    new Set(
      some
        .flatMap((file) => read(file).match(new RegExp(`^// ${kind}: .+$`, 'gm')) ?? [])
        .flatMap((line) => line.replace(`// ${kind}: `, '').split(', ')),
    );

  it('is cited by a test of the first tier', () => {
    const early = citedBy(firstTier);
    const nightly = citedBy(files.filter((file) => /\.(test|spec)\.tsx?$/.test(file) && isNightly(file)));
    expect(early.size).toBeGreaterThan(30);
    expect([...nightly].filter((id) => !early.has(id))).toEqual([]);
  });
});

describe('each screen', () => {
  /** Pages without their own address are shown at any address that no other page has. */
  const NOWHERE = ['/no-such-page', '/nowhere'];
  const ADDRESSES: Record<string, string[]> = { '/404': NOWHERE, '/[...unknown]': NOWHERE };
  const screens = files
    .filter((file) => /^pages\/(?!api\/|_).*\.tsx$/.test(file))
    .map((file) => file.replace(/^pages/, '').replace(/(\/index)?\.tsx$/, ''));
  const specs = firstTier.filter((file) => file.startsWith('tests/e2e/')).map(read);
  const helpers = new Set(
    specs.flatMap((text) =>
      [...text.matchAll(/from '\.\.\/support\/([\w-]+)'/g)].map(([, name]) => `tests/support/${name}.ts`),
    ),
  );
  // In a regular expression, slashes are escaped. A comment opens no page.
  const texts = [...specs, ...[...helpers].map(read)].map((text) =>
    text.replaceAll('\\/', '/').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, ''),
  );

  const isOpened = (screen: string) => {
    const spelled = (ADDRESSES[screen] ?? [screen]).map((address) => new RegExp(`(?<=['"\`}/)])${address}(?![\\w/-])`));
    const name = Object.entries(paths).find(([, each]) => each === screen)?.[0];
    return texts.some(
      (text) => spelled.some((one) => one.test(text)) || (name !== undefined && text.includes(`paths.${name}`)),
    );
  };

  it.each(screens)('%s is opened by a browser test of the first tier', (screen) => {
    expect(isOpened(screen)).toBe(true);
  });
});

/** Minimum timeouts in milliseconds, equal to vitest.config.mts, because a busy machine must not fail a test. */
const SHORTEST = { testTimeout: 300_000, hookTimeout: 300_000, timeout: 60_000 };

it('no integration test has a limit of its own that is shorter than that of all', () => {
  const limits = files
    .filter((file) => /^tests\/(integration|support)\/.*\.ts$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/\b(testTimeout|hookTimeout|timeout): ([\d_]+)\b(?! \*)/g)].map(
        ([, name, ms]) => [file, name as keyof typeof SHORTEST, Number(ms?.replaceAll('_', ''))] as const,
      ),
    );
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter(([, name, ms]) => ms < SHORTEST[name])).toEqual([]);
});
