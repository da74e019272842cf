import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { act, cleanup, render, screen } from '@testing-library/react';
import Router from 'next/router';
import type { ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { useAppConfig, PublicEnvProvider } from '@/lib/browser/config/context';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { useDocumentPolicy } from '@/lib/browser/page-start';
import { queryClient } from '@/lib/browser/query-client';
import { renderAtOrigin, withTexts } from '@/tests/support/render';
import { AppConfigGate, ErrorBoundary, PageFrame } from './page-frame';

let server: Server | undefined;
afterEach(() => {
  cleanup();
  queryClient().clear();
  server?.close();
});

function Page() {
  return <p>{`page of ${useAppConfig()?.brandName ?? 'the default brand'}`}</p>;
}

/** An identity host that delays its response until `answer` is called. */
async function lateHost(body: string) {
  let answer = () => {};
  const told = new Promise<void>((resolve) => (answer = resolve));
  const started = (server = createServer((_request, response) => {
    const headers = {
      'access-control-allow-origin': window.location.origin,
      'access-control-allow-credentials': 'true',
    };
    void told.then(() => response.writeHead(200, headers).end(body));
  }));
  await new Promise<void>((ready) => started.listen(0, '127.0.0.1', ready));
  const { port } = started.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${String(port)}`, answer };
}

/** Builds a page whose config is late. @param origin origin of the identity host */
function latePage(origin: string): ReactElement {
  const env = getPublicEnv(
    parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:1', NEXT_PUBLIC_IDENTITY_ORIGIN: origin }),
  );
  return withTexts(
    <PublicEnvProvider value={env}>
      <AppConfigGate state={{ status: 'late' }}>
        <Page />
      </AppConfigGate>
    </PublicEnvProvider>,
  );
}

it.each([
  ['the config when it arrives', '{"brandName":"North"}', 'page of North'],
  ['defaults when it is broken', '<html>', 'page of the default brand'],
])('covers the screen while the config is late, then shows %s', async (_, body, words) => {
  const { origin, answer } = await lateHost(body);
  render(latePage(origin));
  expect(await screen.findByText('Loading')).toBeTruthy();
  expect(screen.queryByText(/page of/)).toBeNull();
  answer();
  expect(await screen.findByText(words)).toBeTruthy();
});

it('says where scripts do not run why a page whose config is late does not come', () => {
  expect(renderToString(latePage('http://127.0.0.1:9'))).toMatch(
    /Loading.*<noscript>.*You need JavaScript to sign in\..*<\/noscript>/,
  );
});

it('a late config has the icon of its brand', async () => {
  document.head.innerHTML = '<link rel="icon" href="/mark.svg">';
  const { origin, answer } = await lateHost('{"favicon":"/north.svg"}');
  render(latePage(origin));
  answer();
  await screen.findByText(/page of/);
  expect(document.querySelector('link[rel=icon]')?.getAttribute('href')).toBe('/north.svg');
});

it('shows the next page after one that could not be rendered', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Broken = () => {
    throw new Error('broken page');
  };
  const { rerender } = render(
    <ErrorBoundary fallback={<p>failed</p>}>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.queryByText('failed')).toBeTruthy();
  rerender(
    <ErrorBoundary fallback={null}>
      <p>next page</p>
    </ErrorBoundary>,
  );
  act(() => Router.events.emit('routeChangeComplete'));
  expect(screen.queryByText('next page')).toBeTruthy();
});

it('leaves a notification to the document that the page needs, and shows that of any other page', async () => {
  const publicEnv = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:1' }));
  const frame = (
    <PageFrame publicEnv={publicEnv} appConfig={{ status: 'none' }} notification={undefined} session={null}>
      <p>page</p>
    </PageFrame>
  );
  const Document = ({ page }: { page: string }) => {
    useDocumentPolicy(page);
    return frame;
  };
  vi.spyOn(Router, 'beforePopState').mockReturnValue();
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
  const open = (page: string) => {
    cleanup();
    window.history.replaceState(null, '', `${page}?notification=AutoSignOut`);
    renderAtOrigin([], <Document page={page} />);
  };
  open('/self-check');
  await screen.findByText(/^You've been signed out/);
  expect(window.location.search).toBe('');
  open('/sign-in');
  expect(reload).toHaveBeenCalledTimes(1);
  expect(window.location.search).toBe('?notification=AutoSignOut');
});
