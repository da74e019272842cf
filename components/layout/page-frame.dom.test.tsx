import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { act, cleanup, render, screen } from '@testing-library/react';
import Router from 'next/router';
import { afterEach, expect, it, vi } from 'vitest';
import { useAppConfig, PublicEnvProvider } from '@/lib/browser/config/context';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { queryClient } from '@/lib/browser/query-client';
import { AppConfigGate, ErrorBoundary } from './page-frame';

let server: Server | undefined;
afterEach(() => {
  cleanup();
  queryClient().clear();
  server?.close();
});

function Page() {
  return <p>page of {useAppConfig()?.brandName ?? 'the default brand'}</p>;
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

/** A page whose config is late. @param origin of the identity host */
function renderLate(origin: string): void {
  const env = getPublicEnv(
    parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:1', NEXT_PUBLIC_IDENTITY_ORIGIN: origin }),
  );
  render(
    <PublicEnvProvider value={env}>
      <AppConfigGate state={{ status: 'late' }} loader={<p>loading</p>}>
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
  renderLate(origin);
  expect(await screen.findByText('loading')).toBeTruthy();
  expect(screen.queryByText(/page of/)).toBeNull();
  answer();
  expect(await screen.findByText(words)).toBeTruthy();
});

it('a late config has the icon of its brand', async () => {
  document.head.innerHTML = '<link rel="icon" href="/mark.svg">';
  const { origin, answer } = await lateHost('{"favicon":"/north.svg"}');
  renderLate(origin);
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
    <ErrorBoundary fallback="failed">
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.queryByText('failed')).toBeTruthy();
  rerender(<ErrorBoundary fallback="failed">next page</ErrorBoundary>);
  act(() => Router.events.emit('routeChangeComplete'));
  expect(screen.queryByText('next page')).toBeTruthy();
});
