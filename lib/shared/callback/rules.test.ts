// ASVS: 3.5.4, 3.7.2, 10.4.1
// Threats: open-redirect
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWithinDomain,
  validateCallback,
  MAX_CALLBACK_LENGTH,
  resolveCallback,
  type CallbackPolicy,
  decideCallbackStart,
  type CallbackSources,
} from './rules';

const production: CallbackPolicy = {
  mainDomain: 'campus.example',
  ownOrigins: ['https://id.campus.example'],
  mobileScheme: 'campus',
  dashboardUrl: 'https://learn.campus.example/user/dashboard',
};
const local: CallbackPolicy = {
  ...production,
  mainDomain: 'localhost',
  ownOrigins: ['http://localhost:3000'],
  dashboardUrl: 'http://localhost:3001/user/dashboard',
};

describe('accepted callbacks', () => {
  it.each([
    ['https://learn.campus.example/course/7?x=1#part', 'main-domain'],
    ['https://campus.example', 'main-domain'],
    ['HTTPS://Learn.Campus.Example:8443/a', 'main-domain'],
    ['https://learn.campus.example//double', 'main-domain'],
    ['http://localhost:3001/user/dashboard', 'localhost'],
    ['https://localhost/', 'localhost'],
    ['campus://oauth-callback', 'mobile-app'],
    ['campus://oauth-callback?code=1&state=2', 'mobile-app'],
    ['campus://oauth-callback?name="ö"', 'mobile-app'],
  ])('%s by rule %s', (address, rule) => {
    expect(validateCallback(address, production)).toMatchObject({ accepted: true, rule });
  });
});

describe('refused callbacks', () => {
  it.each([
    ['', 'missing'],
    [undefined, 'missing'],
    [['https://learn.campus.example', 'https://evil.test'], 'not-a-string'],
    [{ href: 'https://learn.campus.example' }, 'not-a-string'],
    [`https://learn.campus.example/${'a'.repeat(MAX_CALLBACK_LENGTH)}`, 'too-long'],
    ['https://learn.campus.example/\n', 'forbidden-character'],
    ['https://learn.campus.example/\tx', 'forbidden-character'],
    [' https://learn.campus.example/', 'forbidden-character'],
    ['https:\\\\evil.test', 'forbidden-character'],
    ['https://learn.campus.example\\@evil.test', 'forbidden-character'],
    ['https://learn.campus.example/\u202etxt', 'forbidden-character'],
    ['//evil.test', 'not-absolute'],
    ['/user/dashboard', 'not-absolute'],
    ['https:learn.campus.example', 'not-absolute'],
    ['https:/learn.campus.example', 'not-absolute'],
    ['https:///learn.campus.example', 'not-absolute'],
    ['javascript:alert(1)//learn.campus.example', 'not-absolute'],
    ['data:text/html,hi', 'not-absolute'],
    ['campus://oauth-callback.evil', 'not-absolute'],
    ['campus://oauth-callback/more', 'not-absolute'],
    ['campus://oauth-callback?x#y', 'not-absolute'],
    ['Campus://oauth-callback', 'not-absolute'],
    ['https://user:secret@learn.campus.example/', 'malformed'],
    ['https://learn.campus.example@evil.test/', 'malformed'],
    ['https://learn.campus.example%2eevil.test/', 'malformed'],
    ['https://learn.campus.example%2f.evil.test/', 'malformed'],
    ['https://leаrn.campus.example/', 'malformed'],
    ['https://learn.campus.example:99999/', 'malformed'],
    ['https://[::1]/', 'malformed'],
    ['https://.campus.example/', 'malformed'],
    ['https://learn..campus.example/', 'malformed'],
    ['https://campus.example.evil.test/', 'foreign-host'],
    ['https://evilcampus.example/', 'foreign-host'],
    ['https://learn.campus.example./', 'foreign-host'],
    ['https://evil.test/?https://learn.campus.example', 'foreign-host'],
    ['http://localhost.evil.test/', 'foreign-host'],
    ['http://localhost./', 'foreign-host'],
    ['http://127.0.0.1:3001/', 'foreign-host'],
    ['http://learn.campus.example/', 'insecure-scheme'],
    ['https://id.campus.example/sign-in', 'own-origin'],
    ['https://ID.campus.example:444/', 'own-origin'],
    ['http://id.campus.example/', 'own-origin'],
  ])('%s because of %s', (address, reason) => {
    expect(validateCallback(address, production)).toEqual({ accepted: false, reason });
    expect(resolveCallback(address, production)).toBe(production.dashboardUrl);
  });

  describe('of this app accepts only an interaction of the OpenID Provider', () => {
    const id = 'aB3-_'.repeat(9).slice(0, 43);
    const address = `https://id.campus.example/api/oidc/interaction/${id}/courses/lakeside-school-2`;

    it('by its exact shape', () => {
      expect(validateCallback(address, production)).toEqual({ accepted: true, url: address, rule: 'main-domain' });
    });

    it.each([
      address.replace('https:', 'http:'),
      address.replace('.example/', '.example:8443/'),
      `${address}/`,
      `${address}/..`,
      `${address}?x=1`,
      `${address}#x`,
      `${address}%2f`,
      address.replace('/interaction', '//interaction'),
      address.replace('/courses/', '/'),
      address.replace('/courses/', '/a/courses/'),
      address.replace('/api/', '/x/../api/x/'),
      address.replace('/api/oidc', '/sign-in/api/oidc'),
      address.replace('lakeside-school-2', ''),
      'https://id.campus.example/api/oidc/authorize?client_id=x',
    ])('and not %s', (input) => {
      expect(validateCallback(input, production)).toMatchObject({ accepted: false });
    });
  });

  it('never accepts an address of this app, not even on localhost', () => {
    expect(validateCallback('http://localhost:3000/sign-in', local)).toEqual({ accepted: false, reason: 'own-origin' });
    expect(validateCallback('http://LOCALHOST:3000', local)).toEqual({ accepted: false, reason: 'own-origin' });
    expect(validateCallback('http://localhost:3001/a', local)).toMatchObject({ accepted: true });
  });
});

describe('any input', () => {
  const piece = fc.constantFrom(
    'https:', 'http:', 'campus:', 'javascript:', '//', '/', '\\', '@', ':', '.', '?', '#', '%2f', '%5c', '%00', '\t', '\n',
    'campus.example', 'learn.', 'id.', 'evil.test', 'localhost', ':3000', ':443', 'oauth-callback', 'xn--', 'а', '\u3002', ' ',
  ); // oxfmt-ignore
  const assembled = fc
    .array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 12 })
    .map((parts) => parts.join(''));
  const anything = fc.oneof(assembled, fc.webUrl(), fc.string({ unit: 'binary' }), fc.anything());

  it('is accepted only if the parsed URL is allowed', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(production, local), (input, policy) => {
        const validation = validateCallback(input, policy);
        if (!validation.accepted) return;
        const url = new URL(validation.url);
        expect(url.username + url.password).toBe('');
        // The accepted URL must mean the same to a browser as the input.
        expect(new URL(String(input)).href).toBe(url.href);
        if (validation.rule === 'mobile-app') expect(url.protocol).toBe('campus:');
        else expect(policy.ownOrigins).not.toContain(url.origin);
        if (validation.rule === 'localhost') expect(url.hostname).toBe('localhost');
        if (validation.rule === 'main-domain') {
          expect(url.protocol).toBe('https:');
          expect(isWithinDomain(url.hostname, policy.mainDomain)).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('always resolves to an acceptable address, and is idempotent', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const once = resolveCallback(input, production);
        expect(validateCallback(once, production).accepted).toBe(true);
        expect(resolveCallback(once, production)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts every valid address of the platform', () => {
    const honest = fc
      .tuple(fc.webPath(), fc.webQueryParameters())
      .map(([path, query]) => `https://learn.campus.example${path || '/'}?${query}`);
    fc.assert(
      fc.property(honest, (address) => {
        fc.pre(address.length <= MAX_CALLBACK_LENGTH);
        expect(resolveCallback(address, production)).toBe(new URL(address).href);
      }),
    );
  });
});

const policy = {
  mainDomain: 'campus.example',
  ownOrigins: ['https://id.campus.example'],
  mobileScheme: 'campus',
  dashboardUrl: 'https://learn.campus.example/user/dashboard',
};
const course = 'https://learn.campus.example/course/7';
const nothing: CallbackSources = {
  redirectUris: [],
  referrer: null,
  stored: undefined,
  purchaseMarkers: ['source=b2b'],
};
const start = (sources: Partial<CallbackSources>) => decideCallbackStart({ ...nothing, ...sources }, policy);

describe('decideCallbackStart', () => {
  it('stores the default dashboard if there is no stored callback', () => {
    expect(start({}).store).toBe(policy.dashboardUrl);
  });
  it('keeps an acceptable stored callback', () => {
    expect(start({ stored: course }).store).toBeNull();
  });
  it('replaces a stored callback that is no longer acceptable', () => {
    expect(start({ stored: 'https://evil.test/' }).store).toBe(policy.dashboardUrl);
  });
  it('prefers redirect_uri to the referrer and to the stored callback', () => {
    const sources = { redirectUris: [course], referrer: 'https://learn.campus.example/', stored: `${course}/old` };
    expect(start(sources).store).toBe(course);
  });
  it('prefers a valid referrer to the stored callback', () => {
    expect(start({ referrer: course, stored: `${course}/old` }).store).toBe(course);
  });
  it.each(['https://id.campus.example/registration', 'https://evil.test/', ''])(
    'ignores the referrer %s',
    (referrer) => {
      expect(start({ referrer, stored: course }).store).toBeNull();
    },
  );
  it('replaces an invalid redirect_uri by the dashboard, even if a callback is stored', () => {
    expect(start({ redirectUris: ['https://evil.test/'], stored: course, referrer: course }).store).toBe(
      policy.dashboardUrl,
    );
  });
  it('rejects several redirect_uri parameters', () => {
    expect(start({ redirectUris: [course, course] }).store).toBe(policy.dashboardUrl);
  });
  it('marks a purchase only when its redirect_uri is accepted', () => {
    expect(start({ redirectUris: [`${course}?source=b2b`] }).directPurchase).toBe(true);
    expect(start({ redirectUris: ['https://evil.test/?source=b2b'] }).directPurchase).toBe(false);
    expect(start({ redirectUris: [course] }).directPurchase).toBe(false);
  });
});
