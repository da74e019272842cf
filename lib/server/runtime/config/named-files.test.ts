// Threats: dependency-failure
// cspell:ignore passout
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PRIVATE_KEY } from '@/tests/support/private-key';
import { production } from '@/tests/support/start-process';
import { type ConfigurationError, parseEnv } from './env';

const dir = mkdtempSync(path.join(os.tmpdir(), 'named-files-'));
const write = (name: string, content: string | Buffer) => {
  writeFileSync(path.join(dir, name), content);
  return path.join(dir, name);
};
/** Creates a certificate and its key with the tool that operators use. */
const createPair = (name: string) => {
  const [key, certificate] = [path.join(dir, `${name}.key`), path.join(dir, `${name}.pem`)];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const options = ['req', '-x509', ...ec, '-subj', `/CN=${name}`, '-keyout', key, '-out', certificate];
  expect(spawnSync('openssl', options).status).toBe(0);
  return { key, certificate };
};
const [own, other] = [createPair('own'), createPair('other')];
const read = (file: string) => readFileSync(file, 'utf8');
const garbled = read(own.certificate).replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA');

const findProblems = (variables: Record<string, string>) => {
  try {
    parseEnv({ ...production, ...variables });
    return [];
  } catch (error) {
    return (error as ConfigurationError).problems;
  }
};
const database = (query: Record<string, string>) => {
  const address = new URL('postgres://app@db.campus.example/app');
  address.search = new URLSearchParams({ sslmode: 'verify-full', ...query }).toString();
  return { DATABASE_URL: address.href };
};

describe('the files of DATABASE_URL', () => {
  it.each([
    ['none', {}],
    ['an authority', { sslrootcert: own.certificate }],
    [
      'several authorities, with comments',
      { sslrootcert: write('bundle.pem', `# Ours\n${read(own.certificate)}\n# Theirs\n${read(other.certificate)}`) },
    ],
    ['a certificate of the client', { sslcert: own.certificate, sslkey: own.key }],
  ])('takes %s', (_, query) => {
    expect(findProblems(database(query))).toEqual([]);
  });

  it.each([
    ['that is missing', '/nowhere/ca.pem', 'cannot be read (ENOENT)'],
    ['that is a folder', dir, 'cannot be read (EISDIR)'],
    ['that is empty', write('empty.pem', ''), 'has no certificate in PEM'],
    ['that is binary', write('ca.der', Buffer.from([48, 130, 1, 10])), 'has no certificate in PEM'],
    ['that is a key', own.key, 'has no certificate in PEM'],
    ['behind a byte order mark', write('bom.pem', `\ufeff${read(own.certificate)}`), 'has no certificate in PEM'],
    ['that is cut off', write('cut.pem', read(own.certificate).slice(0, 200)), 'has no certificate in PEM'],
    ['that is garbled', write('garbled.pem', garbled), 'has a certificate that cannot be read, number 1'],
    [
      'whose second certificate is garbled',
      write('second.pem', read(own.certificate) + garbled),
      'has a certificate that cannot be read, number 2',
    ],
  ])('refuses an authority %s', (_, sslrootcert, problem) => {
    expect(findProblems(database({ sslrootcert }))).toEqual([`DATABASE_URL: sslrootcert ${sslrootcert} ${problem}`]);
  });

  it('refuses a key that is missing, encrypted, or of another certificate', () => {
    const { certificate: sslcert } = own;
    expect(findProblems(database({ sslcert }))).toEqual(['DATABASE_URL: sslcert and sslkey are needed together']);
    const missing = { sslcert, sslkey: '/nowhere/key.pem' };
    expect(findProblems(database(missing))).toEqual(['DATABASE_URL: sslkey /nowhere/key.pem cannot be read (ENOENT)']);
    const sslkey = path.join(dir, 'encrypted.key');
    const encrypt = ['pkey', '-in', own.key, '-aes256', '-passout', 'pass:x', '-out', sslkey];
    expect(spawnSync('openssl', encrypt).status).toBe(0);
    expect(findProblems(database({ sslcert, sslkey }))).toEqual([
      `DATABASE_URL: sslkey ${sslkey} has no private key in PEM that can be read without a password`,
    ]);
    expect(findProblems(database({ sslcert, sslkey: other.key }))).toEqual([
      `DATABASE_URL: sslcert ${sslcert} is not the certificate of sslkey`,
    ]);
  });
});

describe('GOOGLE_APPLICATION_CREDENTIALS', () => {
  const account = { type: 'service_account', client_email: 'app@campus.example', private_key: PRIVATE_KEY };
  const token = write('token', 'a-token');
  const federation = { type: 'external_account', audience: '//iam', subject_token_type: 'jwt' };
  const { FIREBASE_PRIVATE_KEY: _, ...withoutKey } = production;
  const find = (file: string, more: Record<string, string> = {}) =>
    findProblems({
      ...withoutKey,
      FIREBASE_PRIVATE_KEY: '',
      FIREBASE_CREDENTIALS: 'application-default',
      GOOGLE_APPLICATION_CREDENTIALS: file,
      ...more,
    });
  const json = (content: unknown) => write('credentials.json', JSON.stringify(content));

  it.each([
    ['a service account', account],
    ['one without a type', { client_email: 'app@campus.example', private_key: PRIVATE_KEY }],
    ['a user', { type: 'authorized_user', client_id: 'x', client_secret: 'y', refresh_token: 'z' }],
    ['a federation by file', { ...federation, credential_source: { file: token } }],
    ['a federation by address', { ...federation, credential_source: { url: 'http://localhost/token' } }],
    [
      'another account that is acted for',
      {
        type: 'impersonated_service_account',
        service_account_impersonation_url: 'https://iam.example/x',
        source_credentials: {},
      },
    ],
  ])('takes %s', (_, content) => {
    expect(find(json(content))).toEqual([]);
  });

  it.each([
    ['a file that is missing', () => '/nowhere/key.json', 'cannot be read (ENOENT)'],
    ['a folder', () => dir, 'cannot be read (EISDIR)'],
    ['an empty file', () => write('empty.json', ''), 'is not the JSON file of a credential'],
    ['half a file', () => write('half.json', JSON.stringify(account).slice(0, 90)), 'is not the JSON file of a'],
    ['a list', () => json([account]), 'is not the JSON file of a credential'],
    ['null', () => json(null), 'is not the JSON file of a credential'],
    ['a key alone', () => write('key.pem', PRIVATE_KEY), 'is not the JSON file of a credential'],
    ['another JSON file', () => json({ origins: {} }), 'lacks client_email, private_key'],
    [
      'a key that lost its line breaks',
      () => json({ ...account, private_key: PRIVATE_KEY.replaceAll('\n', '') }),
      'has no private key in PEM',
    ],
    ['an escaped key', () => json({ ...account, private_key: PRIVATE_KEY.replaceAll('\n', '\\n') }), 'has no private'],
    ['a federation without a source', () => json(federation), 'lacks credential_source'],
    [
      'a federation whose file is missing',
      () => json({ ...federation, credential_source: { file: '/nowhere/token' } }),
      'credential_source.file /nowhere/token cannot be read (ENOENT)',
    ],
    [
      'a federation whose file is empty',
      () => json({ ...federation, credential_source: { file: write('no-token', '\n') } }),
      'is empty',
    ],
    ['a user without a token', () => json({ type: 'authorized_user', client_id: 'x' }), 'lacks client_secret, refresh'],
  ])('refuses %s, without a word of its contents', (_, make, problem) => {
    const found = find(make());
    expect(found).toEqual([expect.stringMatching(/^GOOGLE_APPLICATION_CREDENTIALS: /)]);
    expect(found[0]).toContain(problem);
    expect(found[0]).not.toContain(PRIVATE_KEY.split('\n')[1]);
  });

  it('is not read where it is not used', () => {
    expect(findProblems({ GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/key.json' })).toEqual([]);
    expect(
      find('/nowhere/key.json', { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'https://x.example' }),
    ).toEqual([]);
  });
});

it('refuses authorities for the runtime that it would ignore', () => {
  const find = (file: string) => findProblems({ NODE_EXTRA_CA_CERTS: file });
  expect(find(own.certificate)).toEqual([]);
  expect(find('')).toEqual([]);
  expect(find('/nowhere/ca.pem')).toEqual(['NODE_EXTRA_CA_CERTS: /nowhere/ca.pem cannot be read (ENOENT)']);
  expect(find(own.key)).toEqual([`NODE_EXTRA_CA_CERTS: ${own.key} has no certificate in PEM`]);
});
