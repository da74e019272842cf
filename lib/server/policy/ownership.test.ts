// Threats: unproved-rename
import { describe, expect, it } from 'vitest';
import { decideMethodsToCut, decideOwnership, decideRepair, type EmailHolder, type OwnershipFacts } from './ownership';

const HOLDERS: EmailHolder[] = ['none', 'itself', 'proved', 'unproved'];
const ALL: OwnershipFacts[] = [null, 'mia@campus.test'].flatMap((proved) =>
  HOLDERS.flatMap((holder) => [true, false].map((isLocked) => ({ proved, holder, isLocked }))),
);

describe('whose an email is', () => {
  it.each(ALL)('%o', (facts) => {
    const decision = decideOwnership(facts);
    const wasMoved = facts.proved !== null && facts.holder !== 'itself';
    if (!wasMoved) expect(decision).toBe('keep');
    // Only a proof of the same mailbox outweighs that of the account.
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

describe('what gives way where a session cookie has no room', () => {
  const cells = METHODS.flatMap((method) => METHODS.map(({ id }) => ({ method, used: id })));
  it.each(cells)('%o', ({ method, used }) => {
    const { remove, keep } = decideMethodsToCut([method], { email: 'mia@campus.test', used });
    const stays = method.id === 'password' || method.id === used || method.email === 'mia@campus.test';
    expect({ remove, keep }).toEqual(stays ? { remove: [], keep: [method.id] } : { remove: [method.id], keep: [] });
  });
});
