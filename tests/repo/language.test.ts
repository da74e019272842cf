import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Words that have a standard term in the field, with that term. Whole words, identifiers in their own case, others in any
 * case; `*` stands for any ending.
 * American spelling is checked by cspell.
 */
const REPLACED: Record<string, string> = {
  'nobody / somebody / whoever': 'the subject: no client, another user, an attacker',
  anew: 'again, new',
  'e-mail / e-mails / mailed': 'email, emailed',
  'a letter / the letter / sample-letters / sampleLetters': 'email',
  'way in / ways in': 'sign-in method',
  'vouch*': 'authorized for',
  standing: 'authorization, session state',
  mended: 'fixed, valid',
  'half done / goes again': 'roll back',
  'is no more': 'deleted',
  'the word that': 'the cookie, the flag',
  'nothing of': 'neither, no',
  'squatter / squatters': 'attacker',
  'manner / mood': 'mode',
  'look into your mailbox / unwanted mail': 'check your email, spam folder',
  'knowledgeOf / askAnew / proveSession / requireStanding': 'getSessionState, verifySession, assertSession',
  'checkStanding / checkVoucher / mayVouch / askProvider': 'assertCanSignIn, callIdentityProvider',
  PATIENCE: 'REQUEST_TIMEOUT_MS',
  'detour / passwordWay / providerWay / WayIn': 'redirectToRequiredStep, SignInMethod',
  'refreshBelief / useBelievedSignedIn': 'session hint',
  'SessionUpkeep / stayingSession / upkeep': 'SessionPoller, extendSession',
  'leaveProvider / keepProviderToTab / tellOtherTabs': 'signOutOfFirebase, limitPersistenceToTab, broadcast',
  'asLongAsAsked / STAYS / keepers': 'applySharedComputerExpiry, PRESERVED_COOKIES',
  'latePart / useBrowserFact': 'lazyWithFallback, useClientValue',
  'leftBehind / judgeBounce / judgeCallback': 'redirectParamsFromReferrer, detectRedirectLoop, validateCallback',
  'ApiAnswer / orNull / surroundings / codeMark': 'ApiResult, nullOnProblem, context, codeHmac',
  'BEAT / inEvenTime': 'INTERVAL_MS, equalizeTiming',
  'settingOf / sendLetter / writeLetter': 'getEmailContext, sendEmail, buildEmail',
  'beginEnding / startAnswersWithHeaders / takePolicyReport': 'beginShutdown, handleCspReport',
  'api_answers_total / api_answer_seconds': 'http_requests_total, http_request_duration_seconds',
  'VARIABLE_WORDS / inWords / rooms': 'MEANINGS, formatExplanation, modules',
  'AppStart / LimitEnd / SelfSending': 'SessionBootstrap, RetryAfterNotice, AutoSubmitGuard',
  'setBackEmail / isMoved / tellOwner / getBrought': 'restoreProvedEmail, notifyOwner',
  'isEntered / isEnteredDomain / getEnteredOrEmpty': 'isListed, getDirectoryOrEmpty',
  'VERDICTS / session-knowledge': 'ERROR_CODES, session-states',
  'Doorway / CourseAtHand / CourseDesk / LeaveSection / AddressLead': 'SplitScreenArt, CurrentCourse, SignOutSection',
  'late-parts / onAgain': 'lazy-panels, onRetry',
  'asker / asked-here / asked-callback': 'requester, same-browser, requested-callback',
  'offered put right': 'corrections are suggested',
  'refuse everybody / refuses everybody': 'reject every request',
  'way of hashing': 'hash algorithm',
  'CallbackVerdict / answerCall / CoursesAnswer': 'CallbackValidation, routeHandler, CoursesResponse',
  'OtherPerson / usePresentPerson / usePersonBack / DeadLink': 'AccountMismatch, useSignedInUser, UnusableLink',
  'peopleAt / newPerson / places': 'createAccountsClient, createTestUser, endpoints',
};

/** This file lists the words; the others are generated. */
const EXCEPTIONS = ['package-lock.json', 'tests/repo/language.test.ts'];

/** Capital letters are those of an identifier. */
const toPattern = (words: string) => {
  const each = words.split(' / ').map((word) => word.replace('*', String.raw`\w*`));
  return new RegExp(String.raw`(?<![\w-])(?:${each.join('|')})(?![\w-])`, /[A-Z]/.test(words) ? 'g' : 'gi');
};
/** Lines with one of the words. Line 0 is the name of the file. */
const findIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(({ index }) => {
    const before = text.slice(0, index).split('\n');
    const line = text.slice(text.lastIndexOf('\n', index - 1) + 1).split('\n', 1)[0] ?? '';
    return `${before.length - 1}: ${line.trim().slice(0, 100)}`;
  });

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:[cm]?[jt]sx?|md|json|ya?ml|css)$/.test(file))
  .filter((file) => !EXCEPTIONS.some((exception) => file.startsWith(exception)))
  // The words are English.
  .filter((file) => !/^locales\/(?!en\/)|^docs\/glossary\.md$/.test(file));
const texts = files.flatMap((file) => {
  try {
    return [[file, `${file}\n${readFileSync(file, 'utf8')}`] as const];
  } catch {
    return []; // Deleted, but not committed yet.
  }
});

test('every word is found in a text that contains it', () => {
  for (const words of Object.keys(REPLACED))
    for (const word of words.split(' / '))
      expect(findIn(`a ${word.replace('*', 'ed')}.`, toPattern(words)), word).toHaveLength(1);
  expect(findIn('an email for any user', toPattern(Object.keys(REPLACED).join(' / ')))).toEqual([]);
});

test.each(Object.entries(REPLACED))('no file contains %s, but: %s', (words) => {
  const pattern = toPattern(words);
  expect(texts.flatMap(([file, text]) => findIn(text, pattern).map((line) => `${file}:${line}`))).toEqual([]);
});

test('a function is a verb and an object, not `xOf`', () => {
  const names = /(?:function|const|let) ([a-z]\w*Of)\b/g;
  expect(texts.flatMap(([file, text]) => [...text.matchAll(names)].map(([, name]) => `${file}: ${name}`))).toEqual([]);
});
