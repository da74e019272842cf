import { describe, expect, it, test } from 'vitest';
import { paths } from '@/lib/shared/paths';
import { reachedFiles } from '@/tests/support/reached-files';
import { namespaces, namespacesNeededBy, productFiles } from '@/tests/support/text-keys';
import { namespacesFor } from './namespaces';

const sources = productFiles();
const needs = new Map([...sources].map(([file, source]) => [file, namespacesNeededBy(source)]));
const frame = reachedFiles('pages/_app.tsx', sources);
const pages = [...sources.keys()].filter((file) => /^pages\/(?!api\/|_).*\.tsx$/.test(file));

const DEAD_ENDS = ['/404', '/500', '/[...unknown]'];

describe.each(pages)('%s', (page) => {
  const route = getRoute(page);
  const reached = new Set([...frame, ...reachedFiles(page, sources)]);

  it('loads the namespaces of its own route', () => {
    expect(getLoadedRoute(sources.get(page) ?? '')).toBe(DEAD_ENDS.includes(route) ? '/404' : route);
  });

  it('loads the texts of every file that it can show', () => {
    const loaded = namespacesFor(route);
    const without = [...reached].flatMap((file) =>
      (needs.get(file) ?? []).filter((name) => !loaded.includes(name)).map((name) => `${file}: ${name}`),
    );
    expect(without).toEqual([]);
    expect(namespaces).toEqual(expect.arrayContaining(loaded));
  });
});

/** Namespaces that only the server uses. */
const OF_SERVER = ['mail', 'openid-error'];
test.each(namespaces.filter((name) => !OF_SERVER.includes(name)))('some page that can show %s loads it', (name) => {
  const loading = pages.filter((page) => namespacesFor(getRoute(page)).includes(name));
  const showing = loading.filter((page) =>
    [...frame, ...reachedFiles(page, sources)].some((file) => needs.get(file)?.includes(name)),
  );
  expect(showing).not.toEqual([]);
});

test('lazy-loaded and re-exported files are followed', () => {
  expect([...reachedFiles('pages/sign-in/index.tsx', sources)]).toEqual(
    expect.arrayContaining([
      'components/providers/embedded-notice.tsx',
      'components/account-forms/retry-after-notice.tsx',
      'lib/browser/auth/provider/sdk.ts',
    ]),
  );
  expect([...reachedFiles('pages/actions.tsx', sources)]).toContain('components/email-action/panels.tsx');
});

function getRoute(page: string): string {
  return page.replace(/^pages|(\/index)?\.tsx$/g, '');
}

/** The route whose messages a page file loads. */
function getLoadedRoute(source: string): string | undefined {
  if (/\b(?:getStaticTexts as getStaticProps|getUnknownPageProps as getServerSideProps)\b/.test(source)) return '/404';
  const [, spelled, name] = /createPageProps\(\s*(?:'([^']+)'|paths\.(\w+))/.exec(source) ?? [];
  return spelled ?? Object.entries(paths).find(([key]) => key === name)?.[1];
}
