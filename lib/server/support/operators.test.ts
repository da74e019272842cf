// Threats: operator-token-abused
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findOperator, parseOperators } from './operators';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const entry = (token: string, more: object = {}) => {
  return { tokenSha256: hash(token), actions: ['read'], expires: '2027-01-31', ...more };
};
const parse = (operators: unknown) => parseOperators({ operators });

describe('an entry of OPERATORS_FILE', () => {
  it.each([
    ['a name with spaces', { 'Ada L': entry('t1') }, 'its name'],
    ['a token in place of its hash', { ada: entry('t1', { tokenSha256: 't1' }) }, 'tokenSha256'],
    ['no action', { ada: entry('t1', { actions: [] }) }, 'actions'],
    ['an unknown action', { ada: entry('t1', { actions: ['set-password'] }) }, 'actions'],
    ['no expiry', { ada: { tokenSha256: hash('t1'), actions: ['read'] } }, 'expires'],
    ['a time in place of a day', { ada: entry('t1', { expires: '2027-01-31T00:00:00Z' }) }, 'expires'],
    ['an unknown field', { ada: entry('t1', { token: 't1' }) }, 'token'],
  ])('with %s is reported and gives no access', (_name, operators, field) => {
    const { value, problems } = parse(operators);
    expect(value.size).toBe(0);
    expect(problems[0]?.message).toContain(field);
  });

  it('with the token of another operator gives no access', () => {
    const { value, problems } = parse({ ada: entry('t1'), bo: entry('t1') });
    expect([...value.keys()]).toEqual(['ada']);
    expect(problems[0]?.context).toEqual({ operator: 'bo' });
  });

  it('with a past day is noted', () => {
    expect(parse({ ada: entry('t1', { expires: '2020-01-01' }) }).notes).toEqual([
      { message: 'The token of an operator has expired', context: { operator: 'ada' } },
    ]);
  });

  it.each([[null], [[]], [{ operators: [] }], [{}]])('a file with %j cannot be used', (content) => {
    expect(() => parseOperators(content)).toThrow('must be an object with operators');
  });
});

describe('a token', () => {
  const { value } = parse({ ada: entry('t1'), bo: entry('t2', { expires: '2026-11-30' }) });

  it.each([
    ['t1', '2026-11-30T12:00:00Z', 'ada'],
    ['t2', '2026-11-30T23:59:59.999Z', 'bo'],
    ['t2', '2026-12-01T00:00:00Z', null],
    ['T1', '2026-11-30T12:00:00Z', null],
    ['', '2026-11-30T12:00:00Z', null],
    [hash('t1'), '2026-11-30T12:00:00Z', null],
  ])('%j at %s is of %j', (token, now, name) => {
    expect(findOperator(token, value, new Date(now))?.name ?? null).toBe(name);
  });
});
