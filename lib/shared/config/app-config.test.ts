import fc from 'fast-check';
import { expect, it } from 'vitest';
import { appConfigFields, parseAppConfig } from './app-config';

it('keeps good fields, ignores unknown ones, and drops wrong ones one by one', () => {
  const { config, dropped } = parseAppConfig({
    showSplitScreen: true,
    enabledIdentities: ['password', 'google.com'],
    brandName: '',
    logo: 'javascript:alert(1)',
    termsUrl: 'https://campus.example/terms',
    unknown: 1,
  });
  expect(config).toEqual({
    showSplitScreen: true,
    enabledIdentities: ['password', 'google.com'],
    termsUrl: 'https://campus.example/terms',
  });
  expect(dropped).toEqual(['brandName', 'logo']);
});

it.each(['//evil.test/logo.svg', 'data:image/svg+xml,x', '/logo.svg?x', '/\\evil.test'])(
  'rejects the picture %s',
  (logo) => {
    expect(parseAppConfig({ logo }).dropped).toEqual(['logo']);
  },
);

it('accepts any input and never returns an unknown field', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (input) => {
      const { config } = parseAppConfig(input);
      expect(Object.keys(appConfigFields)).toEqual(expect.arrayContaining(Object.keys(config)));
    }),
  );
});

it.each([-1, 1.5, 21, '2', null])('%j is not a number of visible providers', (visibleProviders) => {
  expect(parseAppConfig({ visibleProviders })).toEqual({ config: {}, dropped: ['visibleProviders'] });
});
