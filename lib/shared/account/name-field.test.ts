// Threats: name-injection
import { describe, expect, it } from 'vitest';
import { passkeyNameField } from './name-field';
import { PASSKEY_NAME_MAX_LENGTH } from './passkeys';
import { registrationSchema } from './registration-schema';

const parse = (name: string) =>
  registrationSchema.safeParse({ name, email: 'mia@campus.test', password: 'quiet-lantern-42' });

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

describe('the name of a passkey', () => {
  it.each(['My phone', 'Zoë’s phone', '👩‍👩‍👧 tablet', 'x'.repeat(PASSKEY_NAME_MAX_LENGTH)])('accepts %j', (name) => {
    expect(passkeyNameField.parse(` ${name} `)).toBe(name);
  });

  it.each(['', '   ', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(PASSKEY_NAME_MAX_LENGTH + 1)])('refuses %j', (name) => {
    expect(passkeyNameField.safeParse(name).success).toBe(false);
  });
});
