import { describe, expect, it } from 'vitest';
import { describeAccounts, describeDatabase } from './announce';

describe('describeDatabase', () => {
  it.each([
    ['postgres://lena:SeCrEt1@db.example/identity?sslmode=verify-full', 'PostgreSQL at db.example:5432/identity'],
    ['postgresql://db.example:6432/identity', 'PostgreSQL at db.example:6432/identity'],
    ['postgres://lena@[::1]/my%20records', 'PostgreSQL at [::1]:5432/my records'],
    [
      'postgres:///identity?host=/run/postgresql&port=5433&password=SeCrEt1',
      'PostgreSQL at /run/postgresql:5433/identity',
    ],
    ['postgres://db.example/a%1bb%', 'PostgreSQL at db.example:5432/a%1bb%'],
    ['postgres://db.example/a%1bb', 'PostgreSQL at db.example:5432/a\\u001bb'],
  ])('names host, port and database alone: %s', (url, words) => {
    expect(describeDatabase({ kind: 'postgres', url })).toBe(words);
  });

  it('names the folder of the embedded one', () => {
    expect(describeDatabase({ kind: 'embedded', folder: '.records' })).toBe('embedded, in .records');
  });
});

describe('describeAccounts', () => {
  it('tells an emulator from a project', () => {
    const project = { NEXT_PUBLIC_FIREBASE_PROJECT_ID: 'campus' };
    expect(describeAccounts({ ...project, FIREBASE_AUTH_EMULATOR_HOST: undefined })).toBe('project campus');
    expect(describeAccounts({ ...project, FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099' })).toBe(
      'the emulator at localhost:9099, project campus',
    );
  });
});
