import type { CallbackPolicy } from '@/lib/callback/rules';

/** Who is sent where when a person is still marked legacy (specification, section 4). */
export const ROLLOUT_MODES = ['V3Only', 'V3AndV2', 'V3FirstLogin', 'V2FirstLogin'] as const;
export type RolloutMode = (typeof ROLLOUT_MODES)[number];

/**
 * The part of the configuration a browser may see. It travels with the page rather than being
 * compiled in, so that one build runs in every environment (docs/adr/0002).
 */
export type PublicEnv = {
  /** Origin of this app, e.g. `https://id.campus.example`. */
  appOrigin: string;
  /** Domain that this app, the platform and their cookies share. */
  mainDomain: string;
  /** Origin that serves `/api/config/by-origin/{origin}`; this app unless configured otherwise. */
  identityOrigin: string;
  /** Origin of the learning platform. */
  platformOrigin: string;
  /** Custom scheme of the mobile app, without `://`. */
  mobileScheme: string;
  brandName: string;
  supportMailbox: string;
  /** Mailbox domains that a mistyped address is compared with. */
  mailboxDomains: string[];
  firebase: { apiKey: string; projectId: string; authDomain: string; emulatorUrl: string | null };
  /** How a social provider opens: `popup` (a redirect where the browser blocks it) or always `redirect`. */
  socialSignIn: 'popup' | 'redirect';
  rolloutMode: RolloutMode;
  legacySignInUrl: string | null;
  /** Texts that mark a `redirect_uri` as coming from a purchase. */
  purchaseMarkers: string[];
  sentry: { dsn: string; environment: string; release: string } | null;
  /** Plus-addressed forms of the test mailbox stay out of analytics. */
  mixpanel: { token: string; apiHost: string | null; testMailbox: string } | null;
};

/** Path of the default destination after sign-in, on the platform (specification, section 1). */
export const DASHBOARD_PATH = '/user/dashboard';

/** The callback rules' view of the configuration. */
export function callbackPolicyOf(env: PublicEnv): CallbackPolicy {
  return {
    mainDomain: env.mainDomain,
    ownOrigins: [env.appOrigin, env.identityOrigin],
    mobileScheme: env.mobileScheme,
    dashboardUrl: new URL(DASHBOARD_PATH, env.platformOrigin).href,
  };
}
