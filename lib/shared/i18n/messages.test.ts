import i18next from 'i18next';
import { describe, expect, test } from 'vitest';
import { flattenTexts, readTexts } from '@/tests/support/locales';
import { getForms, getStem } from './complete';
import { languages } from './languages';
import { formatMessage, type Namespace, type Texts, type Tree, type Values } from './messages';

/** All plural forms of a language, because no message uses some of them yet. */
const createForms = (language: string) =>
  Object.fromEntries([
    ...getForms(language).map((form) => [`tries_${form}`, `{{count}} tries (${form})`]),
    ...getForms(language, 'ordinal').map((form) => [`place_ordinal_${form}`, `{{count}}. place (${form})`]),
  ]) as Tree;
const VALUES = { brand: 'A & B', email: '<mia@x.test>', name: '$1' };

/** Renders a message by i18next and by our implementation. */
async function createBoth(language: string, messages: Record<string, Tree>) {
  const config = { lng: language, ns: Object.keys(messages), interpolation: { escapeValue: false } };
  const whole = i18next.createInstance({ ...config, defaultNS: 'common', resources: { [language]: messages } });
  await whole.init();
  const texts = { language, messages } as Texts;
  return (namespace: string) => ({
    theirs: whole.getFixedT(language, namespace),
    ours: (key: string, values?: Values) => formatMessage(texts, namespace as Namespace, key, values),
  });
}

const all = await Promise.all(
  languages.map(async (language) => {
    const messages = readTexts(language);
    return { language, messages, by: await createBoth(language, messages) };
  }),
);
const names = [...new Set(JSON.stringify(readTexts('en')).match(/(?<={{)\w+(?=}})/g))];

describe.each(all)('$language', ({ messages, by }) => {
  test.each(Object.keys(messages))('%s is rendered as by i18next', (namespace) => {
    const { theirs, ours } = by(namespace);
    const keys = [...flattenTexts(messages[namespace] ?? {}).keys()];
    expect(keys).not.toEqual([]);
    for (const key of new Set(keys.map((each) => getStem(each) ?? each)))
      for (const count of keys.includes(key) ? [1] : [undefined, 0, 1, 2, 3, 11, 100, 1_000_000]) {
        const given = { ...Object.fromEntries(names.map((name) => [name, name])), ...VALUES, count };
        expect(ours(key, given), key).toBe(theirs(key, given));
        expect(ours(`${namespace}:${key}`, given)).toBe(theirs(`${namespace}:${key}`, given));
      }
  });
});

test.each(['nothing', 'common:nothing.here', 'errors', 'fields.email.more'])(
  'returns the key if there is no text: %s',
  (key) => {
    expect(all[0]?.by('common').ours(key)).toBe(key.replace('common:', ''));
  },
);

describe.each(['en', 'ar', 'fr', 'ja', 'cy', 'pt-BR'])('plural and ordinal forms in %s', (language) => {
  test.each([0, 1, 2, 3, 4, 6, 11, 12, 13, 21, 22, 23, 100, 101, 111, 1_000_000, 1.5])('of %s', async (count) => {
    const { theirs, ours } = (await createBoth(language, { forms: createForms(language) }))('forms');
    for (const [key, values] of [
      ['tries', { count }],
      ['place', { count, ordinal: true }],
    ] as const) {
      expect(ours(key, values)).toBe(theirs(key, values));
      expect(ours(key, values)).toContain(String(count));
    }
  });
});
