// Also loaded in browsers, with the app config; their CSP blocks the code that full zod generates at run time.
import * as z from 'zod/mini';
import { SOCIAL_PROVIDER_IDS, type SocialProviderId } from '@/lib/shared/sign-in-methods';

/** A calendar day, `YYYY-MM-DD`. */
const day = z.iso.date();

/**
 * What an origin or an organization says about the second factor (docs/account-policy.md#rules). `accessLevels`: required for these alone, optional
 * for the others. `from`: announced until then, in UTC.
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

const color = z.string().check(z.regex(/^#[0-9a-f]{6}$/i));
const webAddress = z.url({ protocol: /^https?$/ });
const asset = z.union([webAddress, z.string().check(z.regex(/^\/(?!\/)[\w./-]+$/))]);

/** Sign-in methods that an origin can enable: `password`, the social providers, and `enterprise`. */
const IDENTITIES: readonly ('password' | SocialProviderId | 'enterprise')[] = [
  'password',
  ...SOCIAL_PROVIDER_IDS,
  'enterprise',
];

/** Branding and feature flags of one origin (docs/product.md#app-config). */
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
  splitScreenHeadline: z.string().check(z.maxLength(120)),
  splitScreenPicture: asset,
  termsUrl: webAddress,
  privacyUrl: webAddress,
  supportUrl: webAddress,
  continueWithoutLoginUrl: webAddress,
  secondFactor: secondFactorRule,
  defaultLanguage: z.string().check(z.regex(/^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i), z.maxLength(35)),
} as const;

export type AppConfig = { [K in keyof typeof appConfigFields]?: z.output<(typeof appConfigFields)[K]> };

/** In place of a rule that cannot be read: a typing error must not turn it off. */
const STRICTEST: AppConfig = { secondFactor: { use: 'required' } };

/**
 * Parses a config field by field: unknown fields are ignored, invalid ones dropped and listed. An invalid `secondFactor` is listed, and requires one.
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

/** The config as pages use it: colors corrected for contrast and converted to CSS. */
export type PageConfig = Omit<AppConfig, 'colors' | 'secondFactor' | 'defaultLanguage'> & { brandCss?: string };

/** State of the origin's config on a page: not requested, still loading, or loaded (null after a failure). */
export type AppConfigState = { status: 'none' } | { status: 'late' } | { status: 'ready'; config: PageConfig | null };
