import { z } from 'zod';
import { works, fails, notConfigured, unchecked, type Finding } from './types';

/** The project settings that the app depends on (Identity Toolkit admin API, `projects.config`). */
export const settingsSchema = z.object({
  signIn: z
    .object({
      email: z.object({ enabled: z.boolean().default(false), passwordRequired: z.boolean().default(false) }).optional(),
      phoneNumber: z.object({ enabled: z.boolean().default(false) }).optional(),
      anonymous: z.object({ enabled: z.boolean().default(false) }).optional(),
    })
    .optional(),
  authorizedDomains: z.array(z.string()).optional(),
  emailPrivacyConfig: z.object({ enableImprovedEmailPrivacy: z.boolean().default(false) }).optional(),
  blockingFunctions: z
    .object({ triggers: z.record(z.string(), z.object({ functionUri: z.string().optional() })).optional() })
    .optional(),
  client: z
    .object({ permissions: z.object({ disabledUserDeletion: z.boolean().default(false) }).optional() })
    .optional(),
  mfa: z
    .object({
      state: z.string().default('DISABLED'),
      providerConfigs: z.array(z.object({ state: z.string().default('DISABLED') })).default([]),
    })
    .optional(),
  monitoring: z.object({ requestLogging: z.object({ enabled: z.boolean().default(false) }).optional() }).optional(),
});
/** App Check's settings for the identity provider's API (`projects.services`). */
export const appCheckSchema = z.object({ enforcementMode: z.string().default('OFF') });
export type ProjectSettings = z.output<typeof settingsSchema>;

/** Ids of providers at the identity provider. `enabled`: enabled there. `configured`: named by our configuration. */
export type ProviderIds = { enabled: readonly string[]; configured: readonly string[] };

const SETUP = 'docs/deploy/firebase.md';
const GUESSES = 'docs/deploy/firebase.md#the-identity-providers-public-api';
const EVENTS = ['beforeCreate', 'beforeSignIn'] as const;
/** The emulator omits settings that it does not have. */
const ABSENT = 'could not be read: the identity provider did not return the setting';

function finding(what: string, failure: string | null, success: string, action: string): Finding {
  if (failure === null) return works(what, success);
  return fails(what, failure, action);
}

function unknown(what: string, action: string): Finding {
  return unchecked(what, ABSENT, action);
}

export function checkEnumerationProtection({ emailPrivacyConfig }: ProjectSettings): Finding {
  const what = 'email enumeration protection';
  const action = `Turn it on: ${SETUP}, step 4`;
  if (!emailPrivacyConfig) return unknown(what, action);
  const isOn = emailPrivacyConfig.enableImprovedEmailPrivacy;
  return finding(what, isOn ? null : 'is off: the public API reveals which addresses have an account', 'is on', action);
}

/** @param host the host of this app, which the sign-in helper must accept */
export function checkAuthorizedDomains({ authorizedDomains }: ProjectSettings, host: string): Finding {
  const what = 'authorized domains';
  const action = `Add ${host}: ${SETUP}, step 6`;
  if (!authorizedDomains) return unknown(what, action);
  const isListed = authorizedDomains.includes(host);
  return finding(
    what,
    isListed ? null : `${host} is not listed: no provider signs in there`,
    `${host} is listed`,
    action,
  );
}

export function checkSignInMethods({ signIn }: ProjectSettings): Finding {
  const what = 'sign-in methods of the project';
  const action = `Correct them: ${SETUP}, step 3`;
  if (!signIn) return unknown(what, action);
  const problems = [
    !signIn.email?.enabled && 'Email/Password is disabled',
    signIn.email?.passwordRequired && 'Email link is disabled',
    signIn.anonymous?.enabled && 'Anonymous is enabled',
    signIn.phoneNumber?.enabled && 'Phone is enabled',
  ].filter((problem) => typeof problem === 'string');
  return finding(what, problems.length > 0 ? problems.join('; ') : null, 'password and email link are enabled', action);
}

export function checkProviders({ enabled, configured }: ProviderIds): Finding {
  const what = 'sign-in providers';
  const missing = configured.filter((id) => !enabled.includes(id));
  const unused = enabled.filter((id) => !configured.includes(id));
  if (missing.length > 0) {
    const detail = `configured here, but not enabled in the project: ${missing.join(', ')}`;
    return fails(what, detail, `Enable them, or remove them from the files: ${SETUP}, steps 8 to 10`);
  }
  if (unused.length > 0) {
    const detail = `enabled in the project, but not configured here: ${unused.join(', ')}; their sign-ins are refused`;
    return works(what, detail, 'Disable them in the project');
  }
  if (configured.length === 0) return notConfigured(what, 'none');
  return works(what, `enabled and configured: ${configured.join(', ')}`);
}

/**
 * Blocking functions are required with any SAML or OIDC provider except LinkedIn, because each could take over any
 * account (docs/adr/0011).
 */
export function checkBlockingFunctions({ blockingFunctions }: ProjectSettings, providers: readonly string[]): Finding {
  const what = 'blocking functions';
  const action = 'Deploy them: deploy/blocking-functions/README.md';
  if (!blockingFunctions) return unknown(what, action);
  const { triggers = {} } = blockingFunctions;
  const missing = EVENTS.filter((event) => !triggers[event]?.functionUri);
  if (missing.length === 0) return works(what, 'both are registered, but were not called');
  const isRequired = providers.some((id) => /^(saml|oidc)\./.test(id) && id !== 'oidc.linkedin');
  const detail = `not registered: ${missing.join(', ')}`;
  if (isRequired) return fails(what, `${detail}; required with SAML and OIDC`, action);
  return notConfigured(what, `${detail}; recommended`, action);
}

/** A client that has only the password could delete the account through the provider's public API. */
export function checkUserDeletion({ client }: ProjectSettings): Finding {
  const what = 'deletion by clients';
  const action = 'Turn "Enable delete" off: docs/deploy/second-factor.md';
  if (!client?.permissions) return unknown(what, action);
  if (client.permissions.disabledUserDeletion) return works(what, 'is refused');
  const detail = 'anyone with the password can delete the account through the public API; recommended: off';
  return notConfigured(what, detail, action);
}

/**
 * These screens do not ask for the provider's own second factors. An attacker who knows a password could enroll a
 * factor and lock the owner out.
 */
export function checkProviderFactors({ mfa }: ProjectSettings): Finding {
  const what = "the provider's own multi-factor authentication";
  const action = 'Turn it off: docs/deploy/second-factor.md';
  if (!mfa) return unknown(what, action);
  const isOff = (state: string) => ['DISABLED', 'STATE_UNSPECIFIED', 'MFA_STATE_UNSPECIFIED'].includes(state);
  const isAllOff = [mfa, ...mfa.providerConfigs].every(({ state }) => isOff(state));
  const failure = 'is on: this app does not ask for those second factors, so they lock owners out';
  return finding(what, isAllOff ? null : failure, 'is off', action);
}

/** Browsers send passwords directly to the identity provider, so only its log shows guesses. */
export function checkRequestLog({ monitoring }: ProjectSettings): Finding {
  const what = "the provider's request log";
  const action = `Turn it on: ${GUESSES}`;
  if (!monitoring) return unknown(what, action);
  if (monitoring.requestLogging?.enabled) return works(what, 'is on');
  return notConfigured(what, 'no log shows guessed passwords; recommended: on', action);
}

/** Our pages and our server send no App Check tokens. */
export function checkAppCheck({ enforcementMode }: z.output<typeof appCheckSchema>): Finding {
  const isEnforced = enforcementMode === 'ENFORCED';
  const failure = isEnforced ? 'is enforced, and this app does not support it: every sign-in is refused' : null;
  return finding('App Check', failure, `is not enforced (${enforcementMode})`, `Stop the enforcement: ${GUESSES}`);
}
