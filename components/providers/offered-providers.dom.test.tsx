import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { AppConfigProvider } from '@/lib/browser/config/context';
import { useOfferedProviders, type OfferedProviders } from './offered-providers';

const SOCIAL = ['google.com', 'microsoft.com', 'apple.com', 'github.com'];

function offer(enabled: string[], lastUsed: string | null, visibleProviders?: number) {
  let offered: OfferedProviders | undefined;
  function Probe() {
    offered = useOfferedProviders(enabled, lastUsed);
    return null;
  }
  const config = visibleProviders === undefined ? {} : { visibleProviders };
  renderToString(
    <AppConfigProvider value={config}>
      <Probe />
    </AppConfigProvider>,
  );
  return offered;
}

test('beside a form, one provider is visible', () => {
  expect(offer(['password', ...SOCIAL], null)).toMatchObject({
    first: undefined,
    visible: ['google.com'],
    more: ['microsoft.com', 'apple.com', 'github.com'],
  });
});

test('the provider used last is first, and nowhere else', () => {
  expect(offer(['password', ...SOCIAL], 'github.com')).toMatchObject({
    first: 'github.com',
    visible: ['google.com'],
    more: ['microsoft.com', 'apple.com'],
  });
  expect(offer(['password', ...SOCIAL], 'google.com')).toMatchObject({ first: 'google.com', visible: [] });
});

test('the origin says how many are visible', () => {
  expect(offer(['password', ...SOCIAL], null, 0)?.visible).toEqual([]);
  expect(offer(['password', ...SOCIAL], null, 3)?.visible).toHaveLength(3);
  expect(offer(SOCIAL, null, 2)?.more).toEqual(['apple.com', 'github.com']);
});

test('without a form, all are visible', () => {
  expect(offer(SOCIAL, null)).toMatchObject({ visible: SOCIAL, more: [] });
});
