import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { hashOptions, importUsers, type Entry } from './import-users';
import { getEncoding, readCsv, readRow, uidFor, type Encoding } from './rows';

const reading = { encoding: 'base64', legacy: true, hash: hashOptions('PBKDF2_SHA256', { rounds: '1' }) } as const;
const HASH = Buffer.alloc(32, 'hash');
const UID = 'uid: must have 1 to 128 characters, none of them an @ or a control character';

describe('readRow', () => {
  it('reads a complete row, and sets the legacy claim', () => {
    const row = {
      uid: '7',
      email: ' Ada@Campus.Test ',
      displayName: 'Ada',
      emailVerified: 'true',
      passwordHash: HASH.toString('base64'),
      passwordSalt: 'c2FsdA==',
      createdAt: '2020-02-01',
    };
    expect(readRow(row, reading)).toEqual({
      user: {
        uid: '7',
        email: 'ada@campus.test',
        displayName: 'Ada',
        emailVerified: true,
        disabled: false,
        passwordHash: HASH,
        passwordSalt: Buffer.from('salt'),
        customClaims: { legacy: true, proved_address: 'ada@campus.test' },
        metadata: { creationTime: 'Sat, 01 Feb 2020 00:00:00 GMT', lastSignInTime: undefined },
      },
    });
  });

  it('requires only an email, and derives the same id from the same email', () => {
    const [one, again] = [{ email: 'a@b.test', uid: '' }, { email: 'A@B.test' }].map((row) => readRow(row, reading));
    expect(one).toEqual(again);
    expect(one).toMatchObject({ user: { uid: expect.stringMatching(/^legacy-[0-9a-f]{24}$/) as string } });
  });

  it('says what is wrong with each column, without its value', () => {
    expect(readRow({ email: 'not-an-address', emailVerified: 'perhaps' }, reading)).toEqual({
      problem: 'email: is no email address; emailVerified: must be true, false, 1 or 0',
    });
    expect(readRow(null, reading)).toEqual({ problem: 'it is not an object' });
  });

  it.each([
    [{ uid: 'u'.repeat(129) }, UID],
    [{ uid: 'ada@campus.test' }, UID],
    [{ uid: 'ada\u001b' }, UID],
    [{ displayName: 'A\nB' }, 'displayName: must be one line in UTF-8, of at most 256 characters'],
    [{ disabled: 'no' }, 'disabled: must be true, false, 1 or 0'],
    [{ passwordHash: 7 }, 'passwordHash: must be text'],
    [{ passwordSalt: 7 }, 'passwordSalt: must be text'],
    [
      { createdAt: '04.05.2019' },
      'createdAt: must be a date (2019-05-04), or a time with its zone (2019-05-04T12:30:00Z)',
    ],
    [{ lastSignInAt: '2019-05-04T12:30:00' }, expect.stringContaining('lastSignInAt: must be a date') as string],
  ])('says why it refuses %j', (columns, problem) => {
    expect(readRow({ email: 'a@b.test', ...columns }, reading)).toEqual({ problem });
  });

  it.each(['2019-05-04', '2019-05-04T12:30:00Z'])('accepts the time %s, which the reason names', (createdAt) => {
    expect(readRow({ email: 'a@b.test', createdAt }, reading)).toHaveProperty('user');
  });
});

describe('a password hash', () => {
  const read = (passwordHash: string, algorithm: string, encoding: Encoding, given = {}) =>
    readRow({ email: 'a@b.test', passwordHash }, { encoding, legacy: true, hash: hashOptions(algorithm, given) });
  const bcrypt = `$2b$10$${'a'.repeat(53)}`;

  it.each([
    ['BCRYPT', 'utf8', bcrypt, {}],
    ['BCRYPT', 'base64', Buffer.from(bcrypt).toString('base64'), {}],
    ['SHA256', 'hex', '0f'.repeat(32), { rounds: 1 }],
    [
      'STANDARD_SCRYPT',
      'base64',
      Buffer.alloc(64).toString('base64'),
      { memoryCost: 2, blockSize: 8, parallelization: 1, derivedKeyLength: 64 },
    ],
  ] as const)('of %s in %s is accepted', (algorithm, encoding, hash, given) => {
    expect(read(hash, algorithm, encoding, given)).toHaveProperty('user');
  });

  it.each([
    ['BCRYPT', 'utf8', 'correct-horse-7', {}],
    ['BCRYPT', 'base64', bcrypt, {}],
    ['BCRYPT', 'utf8', bcrypt.slice(0, -1), {}],
    ['SHA256', 'base64', '0f'.repeat(32), { rounds: 1 }],
    ['SHA256', 'hex', 'not a hash', { rounds: 1 }],
    ['PBKDF2_SHA256', 'base64', 'NULL', { rounds: 1 }],
  ] as const)('of %s in %s is refused: %s', (algorithm, encoding, hash, given) => {
    expect(read(hash, algorithm, encoding, given)).toEqual({
      problem: `passwordHash is no ${algorithm} hash in ${encoding}`,
    });
  });
});

describe('readCsv', () => {
  const read = async (text: string | Buffer, ignored: string[] = []) => {
    const rows = [];
    for await (const row of readCsv(Readable.from([Buffer.from(text)]), ignored)) rows.push(row);
    return rows;
  };

  it('reads the rows around a line that is wrong', async () => {
    const text = [
      'uid,email,displayName',
      '1,a@b.test,"A, ""B"""',
      '2,b@b.test',
      '3,c@b.test,"C',
      '4,d@b.test,D',
      '5,e@b.test,E"e"',
      '6,f@b.test,F',
    ].join('\r\n');
    expect(await read(text)).toEqual([
      { line: 2, row: { uid: '1', email: 'a@b.test', displayName: 'A, "B"' } },
      { line: 3, problem: 'it has 2 columns instead of 3' },
      { line: 4, problem: 'a quote is not closed' },
      { line: 5, row: { uid: '4', email: 'd@b.test', displayName: 'D' } },
      { line: 6, problem: 'a quote is in the wrong place' },
      { line: 7, row: { uid: '6', email: 'f@b.test', displayName: 'F' } },
    ]);
  });

  it.each([';', '\t'])('reads what a spreadsheet separates by %j', async (separator) => {
    const lines = [
      ['uid', 'email', 'displayName'],
      ['1', 'a@b.test', `"Lovelace${separator} Ada"`],
      ['2', 'b@b.test', 'B, Jr.'],
    ];
    expect(await read(`\ufeff${lines.map((cells) => cells.join(separator)).join('\r\n')}`)).toEqual([
      { line: 2, row: { uid: '1', email: 'a@b.test', displayName: `Lovelace${separator} Ada` } },
      { line: 3, row: { uid: '2', email: 'b@b.test', displayName: 'B, Jr.' } },
    ]);
  });

  it('reads no user out of a quoted value that contains line breaks', async () => {
    const text = 'email,displayName\na@b.test,"A\nevil@b.test,Evil\n"\nb@b.test,B\n';
    expect(await read(text)).toEqual([
      { line: 2, problem: 'a quoted value contains a line break' },
      { line: 5, row: { email: 'b@b.test', displayName: 'B' } },
    ]);
  });

  it('refuses a line that is not UTF-8, and reads the others', async () => {
    const text = Buffer.from('email,displayName\na@b.test,Zo\u00eb\nb@b.test,Bo\n', 'latin1');
    expect(await read(text)).toEqual([
      { line: 2, problem: 'it is not UTF-8' },
      { line: 3, row: { email: 'b@b.test', displayName: 'Bo' } },
    ]);
  });

  it('refuses a line with a carriage return, behind which the parser would find another user', async () => {
    expect(await read('email,displayName\r\na@b.test,A\rb@b.test,B\r\nc@b.test,C\r\n')).toEqual([
      { line: 2, problem: 'it contains a carriage return: lines end with LF or CRLF' },
      { line: 3, row: { email: 'c@b.test', displayName: 'C' } },
    ]);
    await expect(read('email,displayName\ra@b.test,A\rb@b.test,B\r')).rejects.toThrow(
      'The header cannot be used: it contains a carriage return',
    );
  });

  it.each([
    ['email,password_hash', 'The column password_hash is unknown; is it passwordHash?'],
    ['email,notes', 'To leave a column out: --ignore notes'],
    ['uid,displayName', 'There is no column email'],
    ['email,email', 'The column email occurs twice'],
    ['1,a@b.test,Ada', 'The file has no header'],
  ])('refuses the header %s', async (header, problem) => {
    await expect(read(`${header}\n`)).rejects.toThrow(problem);
  });

  it('leaves out the columns that are named', async () => {
    expect(await read('email,notes\na@b.test,x', ['notes'])).toEqual([{ line: 2, row: { email: 'a@b.test' } }]);
  });
});

describe('hashOptions', () => {
  it('requires the parameters of each hash algorithm', () => {
    expect(hashOptions('BCRYPT', {})).toEqual({ hash: { algorithm: 'BCRYPT' } });
    expect(hashOptions('PBKDF2_SHA256', { rounds: '1000' })).toEqual({
      hash: { algorithm: 'PBKDF2_SHA256', rounds: 1000 },
    });
    expect(() => hashOptions('SCRYPT', { rounds: '9' })).toThrow(
      'SCRYPT needs: IMPORT_HASH_KEY (a variable, in base64), --salt-separator, --rounds, --memory-cost',
    );
    expect(() => hashOptions('ROT13', {})).toThrow('Supported: BCRYPT');
  });
});

it('supports every encoding of a hash', () => {
  expect([getEncoding(), getEncoding('hex')]).toEqual(['base64', 'hex']);
  expect(() => getEncoding('rot13')).toThrow('Supported: base64, hex, utf8');
});

it.each([
  [
    'an id that is derived from the email of an earlier row',
    [{ email: 'a@b.test' }, { uid: uidFor('a@b.test'), email: 'c@b.test' }],
    [2],
  ],
  [
    'the email of an earlier row',
    [{ email: 'a@b.test' }, { uid: '7', email: 'a@b.test' }, { email: 'a@b.test' }],
    [2, 3],
  ],
  [
    'the id of an earlier row',
    [
      { uid: '7', email: 'a@b.test' },
      { uid: '7', email: 'c@b.test' },
    ],
    [2],
  ],
  [
    'no id of an earlier row',
    [
      { uid: uidFor('a@b.test'), email: 'c@b.test' },
      { uid: '7', email: 'a@b.test' },
    ],
    [],
  ],
])('a row that has %s', async (_, rows, wrong) => {
  const entries: Entry[] = [];
  await importUsers(
    rows.map((row, i) => ({ line: i + 1, row })),
    {
      ...reading,
      auth: {
        getUsers: () => Promise.resolve({ users: [], notFound: [] }),
        importUsers: () => Promise.reject(new Error('a dry run imports nothing')),
      },
      project: 'demo-campus',
      dryRun: true,
      done: new Map(),
      onImported: () => Promise.reject(new Error('a dry run imports nothing')),
      onBatch: (batch) => entries.push(...batch),
    },
  );
  expect(entries.filter(({ outcome }) => outcome === 'wrong').map(({ line }) => line)).toEqual(wrong);
});
