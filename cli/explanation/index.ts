import { validateCallback, type CallbackValidation } from '@/lib/shared/callback/rules';
import { correctAccent, contrast } from '@/lib/shared/config/brand-color';
import type { AppConfig, SecondFactorRule } from '@/lib/shared/config/app-config';
import { env, getPlatformOrigins, getPublicEnv, getAppConfig, readOrigin } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import {
  DEFAULT_IDENTITIES,
  getDirectory,
  isSecondFactorOffered,
  listOrganizationRules,
  type OrganizationRule,
} from '@/lib/server/policy';
import { isInMainDomain } from '@/lib/server/http';
import { explainOidcRequest, type ExplainedRequest } from '@/lib/server/oidc';

/** A theme's accent, as configured and as shown. Contrast is defined in WCAG 2.2, 1.4.3. */
type AccentFacts = { theme: 'light' | 'dark'; wanted: string; shown: string; corrected: boolean; onLabel: number };

export type Explanation = {
  input: string;
  /** The URL as a request of an OpenID Provider client, or null for any other URL. */
  request: ExplainedRequest | null;
  /** Whether learners may be redirected to it after sign-in. */
  callback: CallbackValidation;
  /** Its origin, or null if it has none (the mobile app, or not a URL). */
  origin: string | null;
  /** `calls`: the API calls that its pages may make. `branding`: this app's branding under that origin. */
  calls: { stateChanging: boolean; readsSessions: boolean } | null;
  branding: { config: AppConfig; accents: AccentFacts[] } | null;
  /** The sign-in methods that it enables (docs/account-policy.md#methods-of-an-origin). */
  methods: readonly string[] | null;
  /** The second factor of its sign-ins. `organizations`: rules of the directory, which apply at every origin. */
  secondFactor: { rule: SecondFactorRule | null; organizations: OrganizationRule[]; isOffered: boolean } | null;
};

/** Explains how this process's configuration handles a URL or origin, for an operator who debugs a failure. */
export async function explain(input: string): Promise<Explanation> {
  const origin = getOrigin(input);
  const appConfig = origin === null ? null : await getAppConfig(origin);
  return {
    input,
    request: await explainOidcRequest(input),
    callback: validateCallback(input, getCallbackPolicy(getPublicEnv())),
    origin,
    calls:
      origin === null
        ? null
        : { stateChanging: isInMainDomain(origin), readsSessions: getPlatformOrigins().includes(origin) },
    secondFactor:
      origin === null
        ? null
        : {
            rule: appConfig?.secondFactor ?? null,
            organizations: listOrganizationRules(await getDirectory()),
            isOffered: isSecondFactorOffered(),
          },
    methods: origin === null ? null : await readMethods(appConfig),
    branding: appConfig && { config: appConfig, accents: getAccents(appConfig) },
  };
}

/** An origin without an entry has the methods of this app's own origin. */
async function readMethods(appConfig: AppConfig | null): Promise<readonly string[]> {
  const { enabledIdentities } = appConfig ?? (await getAppConfig(env().NEXT_PUBLIC_APP_ORIGIN)) ?? {};
  return enabledIdentities ?? DEFAULT_IDENTITIES;
}

function getOrigin(input: string): string | null {
  return URL.canParse(input) ? readOrigin(new URL(input).origin) : null;
}

function getAccents({ colors }: AppConfig): AccentFacts[] {
  if (!colors) return [];
  return (['light', 'dark'] as const).map((theme) => {
    const wanted = colors[theme].accent;
    const { accent, onAccent, corrected } = correctAccent(wanted, theme);
    return { theme, wanted, shown: accent, corrected, onLabel: contrast(onAccent, accent) };
  });
}
