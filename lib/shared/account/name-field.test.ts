// Threats: name-injection
import { expect, it } from 'vitest';
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
