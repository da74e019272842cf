import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { languages } from './languages';
import { CHOICE_FAILURES } from '@/components/mobile/account-selection-screen';
import { PASSWORD_REFUSALS } from '@/lib/shared/account/password-rules';
import { PROBLEM_TEXTS } from '@/components/account-forms/problem-notice';
import { AUTH_ERROR_CODES } from '@/lib/browser/auth/sign-in/error-codes';
import { TOASTS } from '@/lib/shared/notifications';
import { PAGE_NOTIFICATIONS } from '@/lib/shared/page-notifications';
import { PASSKEY_FAILURES } from '@/lib/browser/passkeys/failure';
import { FACTOR_FAILURES } from '@/lib/browser/second-factor/api';
import { CHECKS } from '@/lib/browser/self-check/checks';
import { ALL_EMAIL_KINDS } from '@/lib/server/notifications/email/email-contents';
import { EVENT_KINDS } from '@/lib/shared/account/activity';
import { OWN_METHODS } from '@/lib/shared/sign-in-methods';
import { LESSON_TYPES, PROGRESS_STATUSES } from '@/lib/shared/courses/contract';
import { NEXT_STEPS } from '@/lib/shared/account/next-step';
import { SECURITY_PARTS } from '@/lib/shared/account/security';
import {
  getParts,
  keyPatterns,
  namespaces,
  productFiles,
  getTexts,
  getTranslations,
  usedKeys,
} from '@/tests/support/text-keys';

/** Emails with all four texts. The texts of the others are listed one by one. */
const OTHERS = ['methods', 'partner-gone', 'sign-in-unfinished', 'support-change'];
const EMAILS = ALL_EMAIL_KINDS.filter((kind) => !OTHERS.includes(kind)).map((kind) =>
  kind.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
);

/** Keys that are composed at run time, expanded from their lists. */
const COMPOSED = [
  ...AUTH_ERROR_CODES.map((code) => `common:errors.${code}`),
  ...PROBLEM_TEXTS.map((code) => `problems:${code}`),
  ...['system', 'light', 'dark'].map((theme) => `common:theme.${theme}`),
  ...Object.keys({ ...TOASTS, ...PAGE_NOTIFICATIONS }).map((key) => `common:notifications.${key}`),
  ...PASSWORD_REFUSALS.map((code) => `new-password:${code}`),
  ...LESSON_TYPES.flatMap((type) => [`courses:lessons.types.${type}`, `courses:lessons.counted.${type}`]),
  ...PROGRESS_STATUSES.map((status) => `courses:lessons.statuses.${status}`),
  ...['in_progress', 'not_started'].map((status) => `courses:go.${status}`),
  ...EVENT_KINDS.map((kind) => `security:activity.kinds.${kind}`),
  ...SECURITY_PARTS.map((part) => `security:parts.${part}`),
  ...NEXT_STEPS.flatMap((step) => [`security:next.${step}.title`, `security:next.${step}.text`]),
  ...['password', ...OWN_METHODS].map((method) => `security:activity.methods.${method}`),
  ...PASSKEY_FAILURES.map((failure) => `passkeys:failures.${failure}`),
  ...['linked', 'unlinked', 'passwordRemoved'].map((outcome) => `security:methods.${outcome}`),
  ...['main', 'recovery', 'use', 'remove'].flatMap((change) => [
    `security:email.begin.${change}`,
    `security:email.done.${change}`,
  ]),
  ...['added', 'renamed', 'removed'].map((outcome) => `security:passkeys.${outcome}`),
  ...FACTOR_FAILURES.map((failure) => `two-step-verification:failures.${failure}`),
  ...['on', 'off', 'added', 'removed', 'replaced'].map((outcome) => `two-step-verification:done.${outcome}`),
  ...['add', 'codes', 'remove'].map((kind) => `two-step-verification:proof.${kind}`),
  ...['locked', 'expired', 'refused'].map((why) => `second-factor:ended.${why}`),
  ...['email', 'wait', 'cancel', 'signedOut'].map((fact) => `second-factor:reset.${fact}`),
  ...CHOICE_FAILURES.map((reason) => `mobile:failed.${reason}`),
  ...CHECKS.flatMap((name) => [`self-check:checks.${name}.name`, `self-check:checks.${name}.advice`]),
  ...['keep', 'keepFactor'].flatMap((kind) => [
    ...['heading', 'lead', 'button', 'busy', 'doneHeading', 'doneLead', 'notYou', 'failed'].map(
      (part) => `actions:${kind}.${part}`,
    ),
    ...['expired', 'canceled'].flatMap((state) => [`actions:${kind}.${state}Heading`, `actions:${kind}.${state}Lead`]),
  ]),
  ...['same', 'managed', 'ofOrganization', 'deletion'].map((why) => `security:email.${why}`),
  ...['done', 'restored'].flatMap((what) => [
    `actions:undoEmailChange.${what}Heading`,
    `actions:undoEmailChange.${what}Lead`,
  ]),
  ...['removeHeading', 'removeLead', 'removeButton', 'removedHeading'].map((part) => `actions:undoEmailChange.${part}`),
  ...['heading', 'lead', 'button', 'restoreHeading', 'restoreLead', 'restoreButton'].map(
    (part) => `actions:undoEmailChange.${part}`,
  ),
  ...['changeEmail', 'undoEmailChange'].flatMap((mode) =>
    ['expired', 'ended', 'taken'].flatMap((state) => [
      `actions:${mode}.${state}Heading`,
      `actions:${mode}.${state}Lead`,
    ]),
  ),
  ...['request', 'expired', 'unavailable', 'signOut', 'signOutUnavailable', 'return'].map(
    (kind) => `openid-error:${kind}`,
  ),
  ...['title', 'signOutTitle', 'returnTitle', 'code', 'support'].map((kind) => `openid-error:${kind}`),
  ...['expired', 'invalid'].map((state) => `actions:disavow.${state}Lead`),
  ...['download', 'delete'].map((change) => `security:data.${change}Proof`),
  ...EMAILS.flatMap((kind) => ['subject', 'preview', 'heading', 'text'].map((part) => `mail:${kind}.${part}`)),
  ...['signedOut', 'disabled', 'enabled', 'unlocked', 'emailChanged', 'subject'].map(
    (part) => `mail:supportChange.${part}`,
  ),
  ...['methods', 'partnerGone', 'signInUnfinished', 'supportChange'].flatMap((kind) => [
    `mail:${kind}.preview`,
    `mail:${kind}.heading`,
  ]),
  ...['confirm', 'reset'].flatMap((kind) => ['orLink', 'button', 'notYou'].map((part) => `mail:${kind}.${part}`)),
  ...['newSignIn', 'disavowalLink'].flatMap((kind) => [`mail:${kind}.notYou`, `mail:${kind}.expires`]),
  ...['emailChange', 'recoveryEmail', 'recoveryEmailAdded'].map((kind) => `mail:${kind}.button`),
  'mail:recoveryEmailAdded.notYou',
  ...['emailChangeRequested', 'emailChangeDone', 'signInLink', 'supportReset', 'verifyLink'].flatMap((kind) => [
    `mail:${kind}.button`,
    `mail:${kind}.notYou`,
  ]),
  ...['deletionCancelled', 'factorResetCancelled'].map((kind) => `mail:${kind}.notYou`),
  ...['byPassword', 'byOther'].flatMap((key) =>
    ['subject', 'text', 'notYou'].map((part) => `mail:signInUnfinished.${key}.${part}`),
  ),
  ...['password', 'passkey'].flatMap((method) => [`mail:methods.${method}`, `mail:methodList.${method}`]),
  ...PASSKEY_FAILURES.map((failure) => `passkeys:failures.${failure}`),
  ...['heading', 'lead'].flatMap((part) => [`not-found:notFound.${part}`, `not-found:failure.${part}`]),
];

const sources = [...productFiles().values()];
const written = new Set(namespaces.flatMap((namespace) => getTexts(namespace).map((key) => `${namespace}:${key}`)));
const used = new Set([...COMPOSED, ...sources.flatMap(usedKeys)]);

describe('texts', () => {
  it('has a text for every key in use', () => {
    const missing = [...used].filter((key) => !written.has(key) && !written.has(`${key}_other`));
    expect(missing).toEqual([]);
  });

  it('has no unused text', () => {
    const isUsed = (key: string) => used.has(key) || used.has(key.replace(/_(one|other)$/, ''));
    expect([...written].filter((key) => !isUsed(key))).toEqual([]);
  });

  it('lists every composed key, and no other', () => {
    const patterns = sources.flatMap(keyPatterns);
    const unknown = patterns.filter(({ pattern }) => !COMPOSED.some((key) => pattern.test(key)));
    expect(unknown).toEqual([]);
    expect(COMPOSED.filter((key) => !patterns.some(({ pattern }) => pattern.test(key)))).toEqual([]);
  });

  it('reads the texts of one namespace per component', () => {
    const several = [...productFiles()].filter(([, source]) =>
      getParts(source).some(({ text }) => getTranslations(text).length > 1),
    );
    expect(several.map(([file]) => file)).toEqual([]);
    const unnamed = [...productFiles()].filter(([, source]) => /useMessages\((?!'[\w-]+'\))/.test(source));
    expect(unnamed.map(([file]) => file)).toEqual([]);
  });

  it('has the mark before the brand in titles alone: analytics cuts them there', () => {
    const marked = languages.filter((language) =>
      readdirSync(`locales/${language}`).some((file) => {
        const texts = readFileSync(`locales/${language}/${file}`, 'utf8').replace('"{{page}} | {{brand}}"', '""');
        return texts.includes(' | ');
      }),
    );
    expect(marked).toEqual([]);
  });

  it('has no empty text', () => {
    for (const namespace of namespaces) expect(getTexts(namespace), namespace).not.toContain('');
  });
});
