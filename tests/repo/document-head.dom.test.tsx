import { HtmlContext } from 'next/dist/shared/lib/html-context.shared-runtime';
import type { ComponentProps } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { PageProps } from '@/lib/server/web';
import ProductDocument from '@/pages/_document';

type Context = NonNullable<ComponentProps<typeof HtmlContext.Provider>['value']>;

const FAVICON = 'https://north.test/favicon.ico';

/** Renders the document of a page with these props, as the framework does. */
function renderDocument(pageProps: Partial<PageProps>): globalThis.Document {
  const context = {
    __NEXT_DATA__: { page: '/sign-in', props: { pageProps }, query: {}, buildId: 'test' },
    buildManifest: {
      pages: { '/_app': [], '/sign-in': [] },
      polyfillFiles: [],
      lowPriorityFiles: [],
      rootMainFiles: [],
      devFiles: [],
    },
    docComponentsRendered: {},
    scriptLoader: {},
    dynamicImports: [],
    dynamicCssManifest: new Set<string>(),
    assetPrefix: '',
    assetQueryString: '',
    cssAssetQueryString: '',
    head: [],
  } as unknown as Context;
  const props = context as unknown as ComponentProps<typeof ProductDocument>;
  const markup = renderToStaticMarkup(
    <HtmlContext.Provider value={context}>
      <ProductDocument {...props} />
    </HtmlContext.Provider>,
  );
  return new DOMParser().parseFromString(markup, 'text/html');
}

/** If there are several icons, browsers show the last (HTML, section 4.6.7.8). */
const getShownIcon = (page: globalThis.Document) =>
  [...page.querySelectorAll('link[rel=icon]')].at(-1)?.getAttribute('href');

it('the favicon of the brand is the one that is shown', () => {
  const appConfig = { status: 'ready', config: { favicon: FAVICON } } as const;
  expect(getShownIcon(renderDocument({ appConfig }))).toBe(FAVICON);
});

it.each<Partial<PageProps>>([
  {},
  { appConfig: { status: 'late' } },
  { appConfig: { status: 'ready', config: null } },
  { appConfig: { status: 'ready', config: {} } },
])('without one it is ours: %j', (props) => {
  expect(getShownIcon(renderDocument(props))).toBe('/mark.svg');
});
