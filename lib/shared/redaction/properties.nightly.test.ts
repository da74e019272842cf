import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redactAddress, redactJson, redactText } from './redact';

/**
 * No encoding changes these letters around and inside every secret, so any surviving part of a secret contains them.
 */
const TRACE = 'QxQ';
const traced = (part: fc.Arbitrary<string>) =>
  fc.tuple(part, part).map(([one, other]) => `${TRACE}${one}${TRACE}${other}${TRACE}`);

const anything = fc.string({ unit: 'binary', maxLength: 12 });
const printable = fc.stringMatching(/^[ -~]{0,12}$/);
const oneWord = fc.stringMatching(/^[!#-%(-~]{0,12}$/).map((text) => text.replaceAll('&', ''));

const ENDINGS = [
  ...['token', 'secret', 'code', 'password', 'otp', 'email', 'cookie', 'authorization', 'api_key', 'credential'],
  ...['SAMLResponse', 'RelayState', 'code_verifier', 'tokens', 'codes'],
];
const STYLES: ((words: string[]) => string)[] = [
  (words) => words.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join(''),
  (words) => words.join('_'),
  (words) => words.join('-').toUpperCase(),
  (words) => words.join('.'),
  (words) => words.join('').toLowerCase(),
];
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const secretName = fc.oneof(
  fc
    .tuple(
      fc.array(
        word.filter((each) => !/^(?:status|exit|error|country|support|currency|language|response)$/.test(each)),
        { maxLength: 2 },
      ),
      fc.constantFrom(...ENDINGS),
      fc.constantFrom(...STYLES),
    )
    .map(([before, ending, style]) => style([...before, ending])),
  fc.constantFrom('state', 'pin', 'pendingToken', 'oauthAccessToken', 'oauthTokenSecret', 'otp', 'oobCode', 'idToken', 'newPassword', 'refresh_token', 'userEmail', 'user[password]', 'codes[0]', 'otp2'), // oxfmt-ignore
);

/** How requests, bodies and logs nest texts. */
const LAYERS: ((text: string) => string)[] = [
  (text) => `https://app.test/x?a=1&to=${encodeURIComponent(text)}&lang=en`,
  (text) => new URLSearchParams({ data: text, lang: 'en' }).toString(),
  (text) => JSON.stringify({ first: 'x', body: text, lang: 'en' }),
  (text) => JSON.stringify([[text], { deep: { text } }], null, 2),
  (text) => `opened ${text}`,
];
const layers = fc.array(fc.constantFrom(...LAYERS), { maxLength: 4 });
const wrap = (text: string, around: ((text: string) => string)[]) =>
  around.reduce((inner, layer) => layer(inner), text);

type Structure = { values: fc.Arbitrary<string>; write: (name: string, secret: string) => string };
const STRUCTURES: Record<string, Structure> = {
  'a query': {
    values: anything,
    write: (name, secret) =>
      `https://id.campus.test/a?x=1&${encodeURIComponent(name)}=${encodeURIComponent(secret)}&lang=en`,
  },
  'a form': { values: anything, write: (name, secret) => new URLSearchParams({ x: '1', [name]: secret }).toString() },
  JSON: { values: anything, write: (name, secret) => JSON.stringify({ x: 1, [name]: secret, lang: 'en' }) },
  'indented JSON': { values: anything, write: (name, secret) => JSON.stringify({ [name]: secret }, null, 2) },
  'arrays of JSON': {
    values: anything,
    write: (name, secret) => JSON.stringify({ [name]: ['"]', secret, { secret }] }),
  },
  'JSON that is cut off': {
    values: anything,
    write: (name, secret) => JSON.stringify({ x: 1, [name]: secret }).slice(0, -2),
  },
  'JSON without its beginning': {
    values: anything,
    write: (name, secret) => `x","${JSON.stringify({ [name]: secret }).slice(2)}`,
  },
  'JSON as .NET writes it': {
    values: anything,
    write: (name, secret) =>
      JSON.stringify({ x: JSON.stringify({ [name]: secret }) })
        .replaceAll('\\"', '\\u0022')
        .replaceAll('&', '\\u0026'),
  },
  'a parameter as JavaScript is escaped': {
    values: anything,
    write: (name, secret) => `"/a\\u003fx=1\\u0026${name}\\u003d${encodeURIComponent(secret)}"`,
  },
  'quotes of JavaScript': { values: oneWord, write: (name, secret) => `{ '${name}': '${secret}', lang: 'en' }` },
  'free text': { values: oneWord, write: (name, secret) => `failed with ${name}=${secret} at last` },
  'free text with a colon': { values: oneWord, write: (name, secret) => `failed with ${name}: ${secret} at last` },
  'a setting': { values: oneWord, write: (name, secret) => `${name} = ${secret}` },
};

describe('no secret survives', () => {
  it.each(Object.entries(STRUCTURES))('in %s, under any secret name, in any context', (_name, structure) => {
    fc.assert(
      fc.property(secretName, traced(structure.values), layers, (name, secret, around) => {
        const text = wrap(structure.write(name, secret), around);
        expect(redactText(text)).not.toContain(TRACE);
        expect(redactAddress(text)).not.toContain(TRACE);
        expect(JSON.stringify(redact({ deep: [{ text }], error: new Error(text) }))).not.toContain(TRACE);
        expect(redactJson(JSON.stringify({ deep: [text] }))).not.toContain(TRACE);
      }),
      { numRuns: 300 },
    );
  });

  it('in a header', () => {
    const header = fc.constantFrom('Cookie', 'set-cookie', 'AUTHORIZATION', 'Proxy-Authorization', 'cookie');
    fc.assert(
      fc.property(header, traced(printable), layers, (name, secret, around) => {
        expect(redactText(wrap(`GET / HTTP/1.1\r\n${name}: ${secret}`, around))).not.toContain(TRACE);
      }),
    );
    expect(redactText('Cookie: a=b; c="d"\r\nHost: x.test')).toBe('Cookie: [redacted]\r\nHost: x.test');
  });

  it('as a value, of any kind', () => {
    const number = fc.integer({ min: 100_000, max: 999_999 });
    fc.assert(
      fc.property(secretName, number, layers, (name, code, around) => {
        const text = wrap(JSON.stringify({ x: 1, [name]: code, list: [{ [name]: [code] }] }), around);
        expect(redactText(text)).not.toContain(String(code));
        expect(JSON.stringify(redact({ deep: [{ [name]: code }] }))).not.toContain(String(code));
        expect(redactJson(JSON.stringify([{ [name]: { code } }]))).not.toContain(String(code));
      }),
    );
  });

  it('in an address with credentials or a fragment', () => {
    const part = traced(fc.webQueryParameters().map((text) => text.replaceAll(/[/?#]/g, '')));
    fc.assert(
      fc.property(part, layers, (secret, around) => {
        expect(redactText(wrap(`redis://me:${secret}@localhost:6379/0`, around))).not.toContain(TRACE);
        expect(redactText(wrap(`https://x.test/a?b=c#${secret}`, around))).not.toContain(TRACE);
        expect(redactText(wrap(`/a/b#x=1&${secret}`, around))).not.toContain(TRACE);
      }),
    );
  });

  it('in an email address of any script', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aZ09é日本δокाभ😀'), minLength: 1, maxLength: 8 });
    const mailbox = fc.oneof(
      traced(letters),
      fc.tuple(traced(letters), letters).map((two) => two.join('.')),
      traced(letters).map((text) => `"${text} x"`),
    );
    const host = fc.constantFrom(
      'campus.test',
      'bücher.example',
      'παράδειγμα.δοκιμή',
      '例え。テスト',
      'xn--fsq.xn--0zwm56d',
      'mail.campus.test',
    );
    fc.assert(
      fc.property(mailbox, host, layers, (name, at, around) => {
        const left = redactText(wrap(`could not mail ${name}@${at} today`, around));
        expect(left).not.toContain(TRACE);
        expect(left).not.toContain(at.slice(0, 5));
        expect(left).toContain('today');
      }),
    );
  });
});

describe('everything else is unchanged', () => {
  const harmlessName = fc.oneof(
    word.filter((name) => !/(?:token|secret|code|otp|pin|pass|jwt|pwd|email|state)s?$/.test(name)),
    fc.constantFrom(
      'statusCode',
      'exit_code',
      'countryCode',
      'http.response.status_code',
      'errorCode',
      'language-code',
    ),
    fc.constantFrom('support_code', 'readyState', 'visibilityState', 'result', 'reason', 'tokenType', 'codec'),
  );
  const value = fc
    .stringMatching(/^[A-Za-z0-9 ,;.!?()%äé日_-]{0,20}$/)
    .filter((text) => !/\b(?:bearer|basic)\s/i.test(text));

  it('in every structure', () => {
    fc.assert(
      fc.property(harmlessName, value, layers, (name, text, around) => {
        const query = `https://id.campus.test/a/b?${name}=${encodeURIComponent(text)}&x=1`;
        const line = `${name}: ${text}`;
        const json = JSON.stringify({ [name]: text, n: 5, list: [true, null, { [name]: 404 }] });
        for (const each of [query, line, json]) expect(redactText(wrap(each, around))).toBe(wrap(each, around));
        const object = { [name]: text, n: 5, nested: [{ [name]: 404 }] };
        expect(redact(object)).toEqual(object);
        expect(redactJson(json)).toBe(json);
      }),
      { numRuns: 300 },
    );
  });

  it('around a secret, and the JSON stays valid', () => {
    const body = fc.tuple(
      fc.dictionary(word, fc.oneof(value, fc.integer(), fc.boolean())),
      secretName,
      fc.oneof(anything, fc.integer()),
    );
    fc.assert(
      fc.property(body, fc.nat(3), ([members, name, secret], times) => {
        const written = JSON.stringify({ ...members, [name]: secret, lang: 'en' });
        let text = written;
        for (let i = 0; i < times; i += 1) text = JSON.stringify({ body: text });
        let left = redactText(text);
        for (let i = 0; i < times; i += 1) left = (JSON.parse(left) as { body: string }).body;
        const expected = redact(JSON.parse(written) as Record<string, unknown>);
        const nothing = secret === '' ? { [name]: '' } : {};
        expect(JSON.parse(left)).toEqual({ ...expected, ...nothing });
      }),
    );
  });

  it('when it is redacted again', () => {
    const structure = fc.constantFrom(...Object.values(STRUCTURES));
    fc.assert(
      fc.property(structure, secretName, oneWord, layers, ({ write }, name, secret, around) => {
        const once = redactText(wrap(write(name, secret), around));
        expect(redactText(once)).toBe(once);
      }),
    );
  });
});
