import type { CallbackRefusal, CallbackRule } from '@/lib/shared/callback/rules';
import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { escapeControls } from '@/lib/server/runtime';
import { formatFileProblem, type ConfigFile } from '@/lib/server/policy';
import type { ExplainedRequest } from '@/lib/server/oidc';
import type { Explanation } from '.';

const RULES: Record<CallbackRule, string> = {
  'mobile-app': "the mobile app's own callback",
  'main-domain': 'https on the main domain or a host below it, but not the identity host',
  localhost: 'http or https on localhost, for development',
};

const REFUSALS: Record<CallbackRefusal, string> = {
  missing: 'it is missing',
  'not-a-string': 'it is present more than once',
  'too-long': 'it has more than 2048 characters',
  'forbidden-character': 'it contains a backslash, whitespace or a control character',
  'not-absolute': 'it is neither an absolute http or https URL nor the callback of the mobile app',
  malformed: 'it contains a user name, or its host is written in a form that browsers and servers parse differently',
  'own-origin':
    'it is on this app or the identity host; to return to a page of this app, use `return_to` with its name',
  'insecure-scheme': 'it is http, which is accepted on localhost only',
  'foreign-host': 'its host is neither the main domain (NEXT_PUBLIC_MAIN_DOMAIN) nor below it',
};

const yes = (answer: boolean) => (answer ? 'yes' : 'no');

export function formatExplanation(explanation: Explanation): string[] {
  const { input, request, callback, origin, calls, methods, branding, secondFactor } = explanation;
  if (request) return [escapeControls(input), ...formatRequest(request)];
  return [
    escapeControls(input),
    callback.accepted
      ? `  callback   accepted by the rule "${callback.rule}": ${RULES[callback.rule]}; learners go to ${callback.url}`
      : `  callback   refused as "${callback.reason}": ${REFUSALS[callback.reason]}; learners go to the dashboard instead`,
    ...(calls
      ? [
          `  origin     ${origin ?? ''}`,
          `  may call   sign-out and other state-changing calls: ${yes(calls.stateChanging)}; read sessions with credentials: ${yes(calls.readsSessions)} (NEXT_PUBLIC_PLATFORM_ORIGIN, PLATFORM_ORIGINS)`,
        ]
      : ['  origin     none']),
    ...(methods ? [`  methods    ${methods.join(', ') || 'none'}`] : []),
    ...(secondFactor ? formatSecondFactor(secondFactor) : []),
    ...formatBranding(branding),
  ];
}

/** Of a client of the OpenID Provider (docs/openid-connect.md). */
function formatRequest({ client, problems, outcome }: ExplainedRequest): string[] {
  return [
    `  client     ${client ?? 'unknown'}`,
    ...problems.map((problem) => escapeControls(`  refused    ${problem}`)),
    ...(problems.length === 0 ? [escapeControls(`  answered   ${outcome}`)] : []),
  ];
}

/** Where an identity host is configured. */
export const ORIGINS_NOT_READ = 'not read: UPSTREAM_IDENTITY_URL has the app configs';

/** @param hasIdentityHost which has the app configs */
export function formatConfigFiles(files: ConfigFile[], hasIdentityHost: boolean): string[] {
  if (files.length === 0 && !hasIdentityHost)
    return ['ORIGINS_FILE, DIRECTORY_FILE: not set, so no branding and no organization'];
  const lines = files.flatMap(({ variable, path, problems, isUsable }) =>
    problems.length === 0
      ? [`${variable}: ${path} has no problems`]
      : problems.map(
          (problem) => `${formatFileProblem(variable, problem)}${isUsable ? '' : '; the app does not start with it'}`,
        ),
  );
  return hasIdentityHost ? [`ORIGINS_FILE: ${ORIGINS_NOT_READ}`, ...lines] : lines;
}

function formatSecondFactor({ rule, organizations, isOffered }: NonNullable<Explanation['secondFactor']>): string[] {
  const rules = [rule ?? { use: 'optional' as const }, ...organizations];
  const isRequired = rules.some(({ use }) => use === 'required');
  return [
    `  factor     a second factor is ${formatRule(rule)} here`,
    ...organizations.map(
      (each) => `             ${formatRule(each)} for accounts of ${escapeControls(each.organization)}`,
    ),
    ...(isRequired && !isOffered ? [`             ${NOT_OFFERED}`] : []),
  ];
}

/** What to do where a second factor is required and cannot be had. */
export const NOT_OFFERED =
  'required but unavailable, so sign-ins that need it are refused: set SECOND_FACTOR_SECRET (docs/deploy/second-factor.md)';

export function formatRule(rule: SecondFactorRule | null): string {
  const { use = 'optional', accessLevels, from } = rule ?? {};
  const levels = accessLevels ? ` for the access levels ${accessLevels.join(', ')}` : '';
  return `${use}${levels}${from === undefined ? '' : ` from ${from} (UTC)`}`;
}

function formatBranding(branding: Explanation['branding']): string[] {
  if (!branding) return ['  branding   none: the defaults are used'];
  const { config, accents } = branding;
  const shown = Object.entries(config).filter(([name]) => name !== 'secondFactor');
  const fields = shown.map(([name, value]) => `             ${name}: ${JSON.stringify(value)}`);
  return [
    `  branding   ${config.brandName ?? 'no name'}`,
    ...fields,
    ...(accents.length === 0 ? ['  contrast   default colors, which pass'] : accents.map(formatAccent)),
  ];
}

function formatAccent({
  theme,
  wanted,
  shown,
  corrected,
  onLabel,
}: NonNullable<Explanation['branding']>['accents'][number]) {
  const outcome = corrected ? `fails on the ${theme} background and is replaced by ${shown}` : 'passes';
  return `  contrast   ${theme}: ${wanted} ${outcome}; the contrast of a button's label is ${onLabel.toFixed(1)} : 1`;
}
