import type { CallbackRefusal, CallbackRule } from '@/lib/shared/callback/rules';
import type { Explanation } from '.';

const RULES: Record<CallbackRule, string> = {
  'mobile-app': "the mobile app's own callback",
  'main-domain': 'https, with a host of the main domain that is not ours',
  localhost: 'a page on this machine, for development',
};

const REFUSALS: Record<CallbackRefusal, string> = {
  missing: 'there is no address',
  'not-a-string': 'it was given more than once',
  'too-long': 'it has more than 2048 characters',
  'forbidden-character': 'it holds a back-slash, white space or an invisible character',
  'not-absolute': 'it is no full http or https address, nor the callback of the mobile app',
  credentials: 'it holds a user name or password',
  malformed: 'its host is written in a way that browsers and servers read differently',
  'own-origin': 'it is this app or the identity host itself; own pages have names for this, not addresses',
  'insecure-scheme': 'it is http; only localhost may be',
  'foreign-host': 'its host is not the main domain (NEXT_PUBLIC_MAIN_DOMAIN), nor under it',
};

const yes = (answer: boolean) => (answer ? 'yes' : 'no');

/** Formats an explanation as readable lines. */
export function formatExplanation({ input, callback, origin, calls, branding }: Explanation): string[] {
  return [
    input,
    callback.accepted
      ? `  callback   accepted by the rule "${callback.rule}": ${RULES[callback.rule]}; learners go to ${callback.url}`
      : `  callback   refused as "${callback.reason}": ${REFUSALS[callback.reason]}; learners go to the dashboard instead`,
    ...(calls
      ? [
          `  origin     ${origin ?? ''}`,
          `  may call   sign-out and other changing calls: ${yes(calls.stateChanging)}; read sessions in the browser: ${yes(calls.readsSessions)} (NEXT_PUBLIC_PLATFORM_ORIGIN, PLATFORM_ORIGINS)`,
        ]
      : ['  origin     none']),
    ...formatBranding(branding),
  ];
}

function formatBranding(branding: Explanation['branding']): string[] {
  if (!branding) return ['  branding   none of its own: this app shows its defaults there'];
  const { config, accents } = branding;
  const fields = Object.entries(config).map(([name, value]) => `             ${name}: ${JSON.stringify(value)}`);
  return [
    `  branding   ${config.brandName ?? 'without a name'}`,
    ...fields,
    ...(accents.length === 0 ? ["  contrast   the product's own colors, which pass"] : accents.map(formatAccent)),
  ];
}

function formatAccent({
  theme,
  wanted,
  shown,
  corrected,
  onLabel,
}: NonNullable<Explanation['branding']>['accents'][number]) {
  const verdict = corrected ? `fails on the ${theme} ground and is shown as ${shown}` : 'passes';
  return `  contrast   ${theme}: ${wanted} ${verdict}; a button's label has ${onLabel.toFixed(1)} : 1 on it`;
}
