// cspell:disable
// Threats: name-injection
import { expect, it } from 'vitest';
import { createNameField } from './name-field';
import { createRegistrationSchemas } from './registration-schema';

const { withPassword } = createRegistrationSchemas({ min: 3, max: 28 });
const parse = (name: string) =>
  withPassword.safeParse({ name, email: 'mia@campus.test', password: 'quiet-lantern-42' });

it.each([
  ...['J. R. Smith', 'J.R. Smith', 'J.R.R. Tolkien', 'Dr. Smith', 'St. John', "O'Neil", 'O’Neil', 'Anne-Marie'],
  ...[
    'José María',
    'Anna Lee, Ph.D.',
    'Sammy Davis Jr.',
    'Smith (Jr.)',
    'Gal·la Pi',
    'ジョン・スミス',
    '王小明',
    'محمد علي',
  ],
  // Names without a space after a title or initials.
  ...['Md.Rahman', 'MD.RAHMAN', 'Mohd.Ali', 'Dr.Müller', 'St.John', 'J.Smith', 'J.R.R.Tolkien', 'Mia St.John-Smith'],
  ...['И.Иванов', 'И.И.Иванов', 'Md.Abdur Rahman'],
  // Persian, Urdu and Kurdish use it between letters. Bengali, Malayalam and Sinhala use it after a virama.
  ...['علی\u200cرضا', 'می\u200cنا کریمی', 'نسل\u200cآرا', 'ক্\u200dষমা', 'മോഹന്\u200d', 'ක්\u200dෂමා', 'र्\u200cय राम'],
  ...['Zoë-Maria van den Bergh-Łuk', 'Anna 2', 'Mia & Ben', 'Robert "Bob" Smith', 'Anna/Ben'],
])('%s is a name', (name) => {
  expect(parse(name).data?.name).toBe(name);
});

it.each([
  ...[
    'evil.com/x1',
    'evil.com',
    'Win at evil.com',
    'x.co',
    'EVIL.COM',
    'evil.COM',
    'a.b.example',
    '1.2.3.4',
    'WIN.AT.evil',
  ],
  ...['https://buy.test', 'www.buy.test', 'mia@evil.test', 'mailto:mia', 'tel:110', '.com', 'evil .com', 'evil[.]com'],
  ...[
    'evil(.)com',
    'evil。com',
    'evil．com',
    'evil｡com',
    'evil․com',
    'ｅｖｉｌ．ｃｏｍ',
    'evil﹒com',
    'bücher.example',
    '例え.テスト',
  ],
  ...['evil.\u0301com', 'evil..com', 'evil. .com', 'evil.,.com', '⒈com'],
])('%s is not a name, and the field shows an error', (name) => {
  const [issue] = parse(name).error?.issues ?? [];
  expect([issue?.path, issue?.message]).toEqual([['name'], 'account-name:invalid']);
});

it.each([
  ['emoji', 'Mia 🦊 Fox'],
  ['a heart', 'Mia ❤ Ben'],
  ['a flag', 'Mia 🇩🇪 Ben'],
  ['a keycap', 'Mia 1\ufe0f\u20e3'],
  ['an emoji that is joined of several', 'Mia 👩\u200d🎓 Ben'],
  ['no letter', '12345'],
  ['no letter, but punctuation', '... - ...'],
  ['a joiner between Latin letters', 'Mi\u200ca Ben'],
  ['a joiner beside a cursive letter', 'a\u200cعلی'],
  ['a zero-width joiner without a virama', 'عل\u200dیرضا'],
  ['a zero-width space', 'Mia\u200bBen'],
  ['a mark of direction', 'Mia\u202eneB'],
  ['a link behind a title', 'Md.Com'],
  ['a link with a title of capitals', 'EVIL.SHOP'],
  ['a domain of a country behind a title', 'Md.Io'],
  ['a link of several parts', 'Md.Club.Rahman'],
  ['an address of the web', 'Www.Evil.Rahman'],
  ['a title after another domain', 'evil.Md.Rahman'],
  ['an international domain behind a title', 'Ах.Онлайн'],
])('%s is refused', (_, name) => {
  expect(parse(name).error?.issues[0]?.message).toBe('account-name:invalid');
});

it.each([
  ['', 'account-name:missing'],
  [' \u00a0 ', 'account-name:missing'],
  ['Li', 'account-name:length'],
  ['M'.repeat(29), 'account-name:length'],
])('%j: %s', (name, message) => {
  expect(parse(name).error?.issues[0]?.message).toBe(message);
});

it('counts characters, not their parts, and takes the lengths that it is given', () => {
  expect(parse('𠮷野家').data?.name).toBe('𠮷野家');
  const field = createNameField({ min: 2, max: 60 });
  expect([field.safeParse('Li').success, field.safeParse('M'.repeat(60)).success]).toEqual([true, true]);
  expect([field.safeParse('L').success, field.safeParse('M'.repeat(61)).success]).toEqual([false, false]);
});

it('leaves out a joiner that a keyboard left beside a space', () => {
  expect(parse('\u200cعلی\u200c رضا\u200c').data?.name).toBe('علی رضا');
  expect(parse('علی\u200c\u200cرضا').data?.name).toBe('علی\u200cرضا');
});
