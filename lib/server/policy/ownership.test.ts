// Threats: unproved-rename
import { describe, expect, it } from 'vitest';
import {
  decideMethodsToCut,
  decideOwnership,
  decideRepair,
  type EmailHolder,
  listMethodsToRepair,
  type OwnershipFacts,
} from './ownership';

const HOLDERS: EmailHolder[] = ['none', 'itself', 'proved', 'unproved'];
const ALL: OwnershipFacts[] = [null, 'mia@campus.test'].flatMap((proved) =>
  HOLDERS.flatMap((holder) => [true, false].map((isLocked) => ({ proved, holder, isLocked }))),
);

describe('whose an email is', () => {
  it.each(ALL)('%o', (facts) => {
    const decision = decideOwnership(facts);
    const wasMoved = facts.proved !== null && facts.holder !== 'itself';
    if (!wasMoved) expect(decision).toBe('keep');
    // Only a proof of the same mailbox outweighs the account's proof.
    else if (facts.holder === 'proved') expect(decision).toBe(facts.isLocked ? 'keep' : 'lock');
    else expect(decision).toBe(facts.holder === 'none' ? 'restore' : 'displace');
  });

  it('an account that has proved nothing takes no email from anyone', () => {
    for (const facts of ALL) if (facts.proved === null) expect(decideOwnership(facts)).toBe('keep');
  });
});

const EMAILS = ['mia@campus.test', 'mallory@mallory.test', null];
const METHODS = ['password', 'google.com', 'saml.campus', 'oidc.partner'].flatMap((id) =>
  EMAILS.map((email) => ({ id, email })),
);

describe('what a repair removes', () => {
  it.each(METHODS)('%o', (method) => {
    const { remove, keep } = decideRepair([method], 'mia@campus.test');
    const isOwn = method.id !== 'password' && method.email === 'mia@campus.test';
    expect({ remove, keep }).toEqual(isOwn ? { remove: [], keep: [method.id] } : { remove: [method.id], keep: [] });
  });
});

describe('what a repair takes an account for', () => {
  const lists = METHODS.flatMap((method) => [[], [method]]).flatMap((methods) =>
    [null, 'mallory@mallory.test'].map((email) => ({ methods, email })),
  );
  it.each(lists)('%o', ({ methods, email }) => {
    const ids = listMethodsToRepair(methods, email).map(({ id }) => id);
    const listed = methods.map(({ id }) => id);
    // Without an email, a password is not listed, but may exist.
    const isUnlisted = email === null && !listed.includes('password');
    expect(ids).toEqual(isUnlisted ? [...listed, 'password'] : listed);
  });
});

describe('what gives way where a session cookie has no room', () => {
  const cells = METHODS.flatMap((method) =>
    METHODS.flatMap(({ id: used }) => [[], ['saml.campus']].map((managers) => ({ method, used, managers }))),
  );
  it.each(cells)('%o', ({ method, used, managers }) => {
    const facts = { email: 'mia@campus.test', used, managers };
    const isSafe = method.id === 'password' || method.id === used || managers.includes(method.id);
    const [gone, kept] = [
      { remove: [method.id], keep: [] },
      { remove: [], keep: [method.id] },
    ];
    const isOwn = method.email === 'mia@campus.test';
    expect(decideMethodsToCut([method], 'of-another-email', facts)).toEqual(isSafe || isOwn ? kept : gone);
    expect(decideMethodsToCut([method], { bytes: 1 }, facts)).toEqual(isSafe ? kept : gone);
  });

  it('the longest ids first, and no more than there has to be room for', () => {
    const long = ['oidc.a', 'oidc.b', 'oidc.c'].map((id, at) => ({ id, email: null, subject: 'i'.repeat(200 + at) }));
    const methods = [
      { id: 'password', email: null },
      { id: 'google.com', email: null, subject: '1'.repeat(21) },
      ...long,
    ];
    const facts = { email: 'mia@campus.test', used: null, managers: [] };
    const cut = (bytes: number) => decideMethodsToCut(methods, { bytes }, facts).remove;
    expect(cut(0)).toEqual([]);
    expect(cut(200)).toEqual(['oidc.c']);
    expect(cut(500)).toEqual(['oidc.b', 'oidc.c']);
    expect(cut(10_000)).toEqual(['google.com', 'oidc.a', 'oidc.b', 'oidc.c']);
  });
});
