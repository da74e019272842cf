// Browsers also load this file. Their CSP blocks the code that full zod generates at run time.
import * as z from 'zod/mini';
import { SOCIAL_PROVIDER_IDS, type SocialProviderId } from '@/lib/shared/sign-in-methods';

/** A calendar day, `YYYY-MM-DD`. */
const day = z.iso.date();

/**
 * The rule of an origin or an organization for the second factor (docs/account-policy.md#rules). `accessLevels`: required
 * for these only, optional for others. `from`: in force from this day on (UTC), and announced before.
 */
export const secondFactorRule = z
  .strictObject({
    use: z.enum(['off', 'optional', 'required']),
    accessLevels: z.optional(z.array(z.string().check(z.regex(/^[\w.-]{1,64}$/))).check(z.minLength(1))),
    from: z.optional(day),
  })
  .check(
    z.refine(({ use, accessLevels, from }) => use === 'required' || (accessLevels === undefined && from === undefined)),
  );

export type SecondFactorRule = z.output<typeof secondFactorRule>;

const color = z.string().check(z.regex(/^#[0-9a-fA-F]{6}$/));
const webAddress = z.url({ protocol: /^https?$/ });
const asset = z.union([webAddress, z.string().check(z.regex(/^\/(?!\/)[\w./-]+$/))]);

/** A BCP 47 language tag. Its pattern has no flag, because JSON Schema has none. */
const languageTag = z.string().check(z.regex(/^[A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/), z.maxLength(35));
const headline = z.string().check(z.maxLength(120));

/** Sign-in methods that an origin can enable: `password`, the social providers, and `enterprise`. */
const IDENTITIES: readonly ('password' | SocialProviderId | 'enterprise')[] = [
  'password',
  ...SOCIAL_PROVIDER_IDS,
  'enterprise',
];

/** Branding and feature flags of an origin (docs/product.md#app-config). */
export const appConfigFields = {
  showSplitScreen: z.boolean(),
  showBetaResetPasswordBanner: z.boolean(),
  showContinueWithoutLogin: z.boolean(),
  enabledIdentities: z.array(z.enum(IDENTITIES)),
  visibleProviders: z.int().check(z.gte(0), z.lte(20)),
  rememberBrowsers: z.boolean(),
  brandName: z.string().check(z.minLength(1), z.maxLength(60)),
  logo: asset,
  favicon: asset,
  colors: z.object({ light: z.object({ accent: color }), dark: z.object({ accent: color }) }),
  splitScreenHeadline: z.union([headline, z.record(languageTag, headline)]),
  splitScreenPicture: asset,
  termsUrl: webAddress,
  privacyUrl: webAddress,
  supportUrl: webAddress,
  continueWithoutLoginUrl: webAddress,
  secondFactor: secondFactorRule,
  defaultLanguage: languageTag,
} as const;

export type AppConfig = { [K in keyof typeof appConfigFields]?: z.output<(typeof appConfigFields)[K]> };

/** Replaces an unreadable rule, because a typing error must not turn the second factor off. */
const STRICTEST: AppConfig = { secondFactor: { use: 'required' } };

/**
 * Parses a config field by field. It ignores unknown fields, and drops and lists invalid fields. An invalid
 * `secondFactor` is listed and counts as required.
 * @returns the valid part, and the names of the dropped fields
 */
export function parseAppConfig(input: unknown): { config: AppConfig; dropped: string[] } {
  const source = z.catch(z.record(z.string(), z.unknown()), {}).parse(input);
  const present = Object.entries(appConfigFields).filter(([name]) => source[name] !== undefined);
  const read = present.map(([name, field]) => ({ name, result: field.safeParse(source[name]) }));
  const good = read.flatMap(({ name, result }) => (result.success ? [[name, result.data] as const] : []));
  const dropped = read.filter(({ result }) => !result.success).map(({ name }) => name);
  const strictest = dropped.includes('secondFactor') ? STRICTEST : {};
  return { config: { ...Object.fromEntries(good), ...strictest }, dropped };
}

/** The config for pages: its colors are corrected and converted to CSS, and its texts are in the page's language. */
export type PageConfig = Omit<AppConfig, 'colors' | 'secondFactor' | 'defaultLanguage' | 'splitScreenHeadline'> & {
  brandCss?: string;
  splitScreenHeadline?: string;
};

/** State of the origin's config on a page. `late`: the browser still loads it. A ready config is null after a failure. */
export type AppConfigState = { status: 'none' } | { status: 'late' } | { status: 'ready'; config: PageConfig | null };
