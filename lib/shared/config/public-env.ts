import type { Language } from '@/lib/shared/i18n/languages';
import type { CallbackPolicy } from '@/lib/shared/callback/rules';

/** Where users still marked as legacy are redirected (docs/product.md#states). V2 is the previous system, V3 is this app. */
export const ROLLOUT_MODES = ['V3Only', 'V3AndV2', 'V3FirstLogin', 'V2FirstLogin'] as const;
export type RolloutMode = (typeof ROLLOUT_MODES)[number];

/**
 * The part of the configuration that browsers can read. It is sent with the page and not compiled in, so the same build
 * runs in every environment (docs/adr/0002).
 */
export type PublicEnv = {
  /** Origin of this app, e.g. `https://id.campus.example`. */
  appOrigin: string;
  /** Domain shared by this app, the platform and their cookies. */
  mainDomain: string;
  /** Origin that serves `/api/config/by-origin/{origin}`; this app unless configured otherwise. */
  identityOrigin: string;
  platformOrigin: string;
  /** Custom scheme of the mobile app, without `://`. */
  mobileScheme: string;
  brandName: string;
  supportMailbox: string;
  /** Limits for the name of an account, in characters. */
  nameLength: { min: number; max: number };
  /** Email domains that a mistyped address is compared with. */
  mailboxDomains: string[];
  firebase: { apiKey: string; projectId: string; authDomain: string; emulatorUrl: string | null };
  /** How a social provider opens. `popup` falls back to a redirect if the browser blocks the popup. */
  socialSignIn: 'popup' | 'redirect';
  /** Whether this deployment returns custom tokens for a live session (docs/adr/0012). */
  customTokens: boolean;
  /** Whether pages of this origin can use passkeys. */
  passkeys: boolean;
  rolloutMode: RolloutMode;
  legacySignInUrl: string | null;
  /** Substrings that mark a `redirect_uri` as coming from a purchase. */
  purchaseMarkers: string[];
  /** The languages to choose from. Absent if there is only one. */
  locales?: [Language, string][];
  sentry: { dsn: string; environment: string; release: string } | null;
  /** Plus-addressed forms of the test mailbox are excluded from analytics. */
  mixpanel: { token: string; apiHost: string | null; testMailbox: string } | null;
};

/** Path of the default destination after sign-in, on the platform (docs/product.md#callbacks). */
export const DASHBOARD_PATH = '/user/dashboard';

export function getCallbackPolicy(env: PublicEnv): CallbackPolicy {
  return {
    mainDomain: env.mainDomain,
    ownOrigins: [env.appOrigin, env.identityOrigin],
    mobileScheme: env.mobileScheme,
    dashboardUrl: new URL(DASHBOARD_PATH, env.platformOrigin).href,
  };
}
