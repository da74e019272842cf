import { describe, expect, it, test } from 'vitest';
import { SOCIAL_PROVIDER_IDS } from '@/lib/shared/sign-in-methods';
import { arrangeSignIn, offerProviders } from './arrange-methods';

const SOCIAL = ['google.com', 'microsoft.com', 'apple.com', 'github.com'];
const browser = { lastUsed: null, isEmbedded: false, hasPasskeys: false };

describe('the providers of an origin', () => {
  const offer = (enabled: string[], lastUsed: string | null = null, visibleProviders?: number) =>
    offerProviders({ ...browser, enabled, lastUsed, visibleProviders });

  it.each([
    ['one is visible beside a form', offer(['password', ...SOCIAL]), undefined, ['google.com'], SOCIAL.slice(1)],
    [
      'the one used last is first, and nowhere else',
      offer(['password', ...SOCIAL], 'github.com'),
      'github.com',
      ['google.com'],
      ['microsoft.com', 'apple.com'],
    ],
    ['also if it was visible', offer(['password', ...SOCIAL], 'google.com'), 'google.com', [], SOCIAL.slice(1)],
    ['an origin shows none', offer(['password', ...SOCIAL], null, 0), undefined, [], SOCIAL],
    ['an origin shows three', offer(['password', ...SOCIAL], null, 3), undefined, SOCIAL.slice(0, 3), ['github.com']],
    ['all are visible without a form', offer(SOCIAL), undefined, SOCIAL, []],
    ['an origin shows two without a form', offer(SOCIAL, null, 2), undefined, SOCIAL.slice(0, 2), SOCIAL.slice(2)],
  ])('%s', (_what, offered, first, visible, more) => {
    expect(offered).toEqual({ first, visible, more, withoutGoogle: false });
  });

  it('do not include Google in a browser that Google rejects', () => {
    const offered = offerProviders({ ...browser, enabled: ['password', ...SOCIAL], isEmbedded: true });
    expect(offered).toMatchObject({ visible: ['microsoft.com'], more: SOCIAL.slice(2), withoutGoogle: true });
    expect(offerProviders({ ...browser, enabled: ['apple.com'], isEmbedded: true }).withoutGoogle).toBe(false);
  });
});

describe('the sign-in screen', () => {
  const arrange = (enabled: string[], lastUsed: string | null = null, more = {}) => {
    const arranged = arrangeSignIn({ ...browser, enabled, lastUsed, ...more });
    return arranged && [...arranged.groups.map(({ parts }) => parts.flat()), arranged.more?.isOpen ?? 'no more'];
  };
  const passkeys = { hasPasskeys: true };

  it.each([
    ['no method', arrange([]), null],
    ['a password', arrange(['password']), [['password'], false]],
    ['a password and passkeys', arrange(['password'], null, passkeys), [['password'], ['passkey'], false]],
    ['a passkey used last', arrange(['password'], 'passkey', passkeys), [['passkey'], ['password'], false]],
    ['a passkey used last, without passkeys', arrange(['password'], 'passkey'), [['password'], false]],
    [
      'a provider used last',
      arrange(['password', 'google.com', 'apple.com'], 'apple.com', passkeys),
      [['apple.com'], ['password'], ['passkey', 'google.com'], false],
    ],
    ['an emailed link used last', arrange(['password'], 'emailLink'), [['password'], true]],
    ['an organization used last', arrange(['password', 'enterprise'], 'saml.acme'), [['password'], true]],
    // Neither the lookup of organizations nor any other list shows a partner.
    ['a partner used last', arrange(['password', 'enterprise'], 'oidc.acme'), [['password'], false]],
    ['organizations only', arrange(['enterprise']), [true]],
    ['a provider and organizations', arrange(['google.com', 'enterprise']), [['google.com'], false]],
    ['providers only', arrange(['google.com', 'apple.com']), [['google.com', 'apple.com'], 'no more']],
    ['the provider used last only', arrange(['google.com'], 'google.com'), [['google.com'], 'no more']],
    [
      'two providers, one used last',
      arrange(['google.com', 'apple.com'], 'apple.com'),
      [['apple.com'], ['google.com'], 'no more'],
    ],
    ['Google only, in a browser that it rejects', arrange(['google.com'], null, { isEmbedded: true }), ['no more']],
  ])('of an origin with %s', (_what, arranged, expected) => {
    expect(arranged).toEqual(expected);
  });
});

/** Every set of some methods. */
const subsets = (methods: string[]): string[][] =>
  methods.reduce<string[][]>((all, method) => [...all, ...all.map((some) => [...some, method])], [[]]);

test('every enabled method is offered once, except Google in a browser that it rejects', () => {
  for (const enabled of subsets(['password', 'enterprise', 'google.com', 'apple.com', 'github.com']))
    for (const lastUsed of [null, 'passkey', 'google.com', 'github.com', 'emailLink', 'saml.acme'])
      for (const isEmbedded of [true, false])
        for (const hasPasskeys of enabled.includes('password') ? [true, false] : [false])
          for (const visibleProviders of [undefined, 0, 1, 5]) {
            const arranged = arrangeSignIn({ enabled, lastUsed, isEmbedded, hasPasskeys, visibleProviders });
            const { groups = [], more = null } = arranged ?? {};
            const shown = [...groups.flatMap(({ parts }) => parts.flat()), ...(more?.providers ?? [])];
            const providers = SOCIAL_PROVIDER_IDS.filter((id) => enabled.includes(id));
            const expected = [
              ...providers.filter((id) => !(isEmbedded && id === 'google.com')),
              ...(hasPasskeys ? ['passkey'] : []),
              ...(enabled.includes('password') ? ['password'] : []),
            ];
            expect(shown.toSorted()).toEqual(expected.toSorted());
            expect(more?.byEmailLink ?? false).toBe(enabled.includes('password'));
            expect(more?.byOrganization ?? false).toBe(enabled.includes('enterprise'));
            expect(arranged === null).toBe(enabled.length === 0);
          }
});
