import { z } from 'zod';
import type { AssetLink } from '@/lib/server/passkeys';
import type { lookUpAccounts } from '@/lib/server/support';
import { ACCOUNT_ACTIONS, type ActionDone } from '@/lib/shared/support/desk';
import { EVENT_KINDS, type Activity } from '@/lib/shared/account/activity';
import { appConfigFields } from '@/lib/shared/config/app-config';
import { coursesResponseSchema } from '@/lib/shared/courses/contract';
import type { ProblemCode } from '@/lib/shared/problem';
import { sessionCheckSchema } from '@/lib/shared/session-contract';

/** Documentation that cannot be derived from a route's code. */
export type OperationDocs = {
  id: string;
  summary: string;
  description?: string;
  /** Body of the response with status 200. */
  response: keyof typeof responseSchemas | 'text' | 'anything';
  /** Problems in addition to those of the route's options and of `proof`. */
  problems?: readonly ProblemCode[];
  proof?: 'session' | 'admin';
  cookies?: string;
  /** Media types of a body that the route parses itself. */
  takes?: readonly string[];
};

/** Errors of a code from an email. */
export const CODE_PROBLEMS = [
  'code-missing',
  'code-wrong',
  'code-expired',
  'code-locked',
  'code-used',
  'store-unavailable',
] as const;

export const TOKEN_PROBLEMS = [
  'token-invalid',
  'token-expired',
  'token-revoked',
  'user-deleted',
  'user-disabled',
] as const;

/** Refusals of a sign-in by the account policy, for now or permanently. */
export const POLICY_PROBLEMS = [
  'email-missing',
  'email-not-verified',
  'recent-login-required',
  'legacy-reset-required',
  'legacy-sign-in-required',
] as const;

export const FACTOR_PROBLEMS = ['second-factor-required', 'second-factor-setup-required'] as const;

/** Refusals of a provider that may not sign in to this account. */
export const PROVIDER_PROBLEMS = ['provider-not-allowed', 'invalid-enterprise-domain'] as const;

/** Errors of a code from an email link. */
export const LINK_PROBLEMS = ['action-code-expired', 'action-code-invalid'] as const;

const customToken = z.object({
  customToken: z.string().describe('For a sign-in at the identity provider; valid for an hour'),
});
/** The response to a token request in form encoding (RFC 6749, section 5.1). */
const tokenResponse = z.object({
  access_token: z.string().describe('The custom token: for a sign-in at the identity provider'),
  token_type: z.literal('N_A').describe('Not usable as an access token (RFC 8693, section 2.2.1)'),
  expires_in: z.int().describe('Seconds'),
});

const challenge = z.string().describe('Returned with the response of the authenticator, within 5 minutes');
const requestOptions = z
  .looseObject({ challenge: z.string(), rpId: z.string(), userVerification: z.literal('required') })
  .describe('`PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3)');
const creationOptions = z
  .looseObject({
    challenge: z.string(),
    rp: z.looseObject({ id: z.string() }),
    user: z.looseObject({ id: z.string() }),
  })
  .describe('`PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3)');
const signal = z
  .object({
    rpId: z.string(),
    userId: z.string(),
    credentialIds: z.array(z.string()),
    name: z.string(),
    displayName: z.string(),
  })
  .describe('All passkeys of the account, for the Signal API of the browser');
const deletionAt = z.iso.datetime().optional().describe('When the account is deleted, where that is scheduled');
const signedIn = z.object({
  uid: z.string(),
  email: z.string().nullable(),
  displayName: z.string().nullable(),
  signal: signal.optional(),
  deletionAt,
});
const passkey = z.object({
  id: z.uuid(),
  name: z.string().nullable(),
  provider: z.string().nullable().describe('Name of the password manager'),
  isSynced: z.boolean(),
  isSuspect: z.boolean(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});

/** An email as support sees it. */
const supportEmail = z.object({
  messageId: z.uuid().describe('The `Message-ID` before its `@`'),
  kind: z.string(),
  at: z.iso.datetime(),
  result: z.string(),
  answer: z.string().describe('Of the mail server'),
});
const androidApp = z.object({
  namespace: z.literal('android_app'),
  package_name: z.string(),
  sha256_cert_fingerprints: z.array(z.string()),
});
const site = z.object({ namespace: z.literal('web'), site: z.url() });

/** Everything that this product has about an account, for its owner. */
const accountData = z.object({
  createdAt: z.iso.datetime(),
  account: z.record(z.string(), z.unknown()).describe('As the identity provider has it, without the password hash'),
  records: z
    .record(z.string(), z.array(z.record(z.string(), z.unknown())))
    .describe(
      'Rows of the database, by table; `openIdClients`: where and when its sessions were used by OpenID Connect',
    ),
});

/** Bodies of responses with status 200, for the API description. */
export const responseSchemas = {
  nothing: z.object({}),
  signedOut: z.object({
    signedOutPage: z
      .string()
      .optional()
      .describe('Path of a page that names websites where the user is still signed in; absent when there are none'),
  }),
  sessionCreated: z.object({
    signal: signal.optional(),
    secondFactorFrom: z.iso.date().optional().describe('From that day, sign-ins of this account need a second factor'),
    deletionAt,
  }),
  session: sessionCheckSchema,
  appConfig: z.object(appConfigFields).partial(),
  courses: coursesResponseSchema,
  mailSent: z.object({ resendAfter: z.int().describe('Seconds until another email may be requested') }),
  codeSent: z.object({
    resendAfter: z.int().describe('Seconds until another code may be requested'),
    flow: z.string().describe('Id of the flow, for the calls that continue it'),
  }),
  passwordSet: z.object({
    signedIn: z.boolean().describe('Whether this browser is signed in; otherwise it signs in with the new password'),
    deletionAt,
  }),
  customToken,
  methodRemoved: customToken.partial(),
  passwordReset: customToken
    .extend({
      step: z.enum(FACTOR_PROBLEMS).describe('The second factor that the sign-in still needs'),
      email: z.string().describe("The account's email, after a reset by its recovery email. The user signs in with it"),
    })
    .partial(),
  emailVerified: customToken
    .extend({
      method: z
        .string()
        .describe('By which this browser has registered: `password`, `passkey`, or the id of a provider'),
      flow: z.string().describe('Id of its registration'),
    })
    .partial(),
  passkeyRequest: z.object({ options: requestOptions, challenge }),
  passkeyCreation: z.object({ options: creationOptions, challenge }),
  passkeySignIn: z.object({ uid: z.string(), signal: signal.nullable(), deletionAt }),
  passkeyAdded: z.object({ passkey, signal }),
  secondFactorShown: signedIn.extend({
    codesLeft: z.int().nullable().describe('Recovery codes that are left, after one was used'),
  }),
  codesConfirmed: z.union([signedIn, customToken.partial()]),
  steppedUp: z.object({ codesLeft: z.int().nullable().describe('Recovery codes that are left, after one was used') }),
  newApp: z.object({
    id: z.string().describe('Of the set-up, which a later one of the account replaces'),
    secret: z.string().describe('Base32 (RFC 4648)'),
    uri: z.string().describe('`otpauth://totp/…`'),
    qr: z.object({ size: z.int(), path: z.string() }).describe('SVG path in a square of `size` units'),
  }),
  appConfirmed: z.object({ recoveryCodes: z.array(z.string()).nullable() }),
  recoveryCodes: z.object({ recoveryCodes: z.array(z.string()) }),
  passkeyRemoved: z.object({ signal: signal.nullable(), ...customToken.partial().shape }),
  mobileToken: z.union([customToken, tokenResponse]),
  mobileAddress: z.object({ address: z.string().describe("The app's own address, with `code` and `state`") }),
  enterprise: z.object({ name: z.string(), provider: z.string().describe('Id of the SAML provider: `saml.…`') }),
  activity: z.object({
    events: z.array(
      z.object({
        id: z.uuid().describe('Of the last one: `before` of the next call'),
        kind: z.enum(EVENT_KINDS),
        at: z.iso.datetime(),
        browser: z.string().nullable(),
        system: z.string().nullable(),
        method: z.string().nullable().describe('Sign-in method by its id at the identity provider'),
        bySupport: z.boolean().describe('An operator of the support desk did it'),
      }),
    ),
    more: z.boolean(),
  }) satisfies z.ZodType<Activity>,
  supportAccounts: z.object({
    accounts: z.array(
      z.object({
        uid: z.string(),
        email: z.string().nullable(),
        provedEmail: z.string().nullable().describe('The email that was proved to this app, if that is recorded'),
        recoveryEmail: z.string().nullable().describe('It gets security emails, and can reset the password'),
        createdAt: z.iso.datetime().nullable(),
        lastSignInAt: z.iso.datetime().nullable(),
        state: z.array(z.object({ rule: z.string(), text: z.string() })),
        actions: z
          .array(z.enum(ACCOUNT_ACTIONS))
          .describe('What this token can do with the account, in its present state'),
        signInMethods: z.array(z.object({ method: z.string(), email: z.string().nullable() })),
        passkeys: z.array(
          z.object({
            name: z.string().nullable(),
            createdAt: z.iso.datetime(),
            lastUsedAt: z.iso.datetime().nullable(),
            suspectAt: z.iso.datetime().nullable(),
          }),
        ),
        secondFactor: z.object({
          since: z.iso.datetime().nullable(),
          apps: z.array(z.object({ createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime().nullable() })),
          recoveryCodesLeft: z.int(),
        }),
        sessions: z.array(
          z.object({
            method: z.string().nullable(),
            browser: z.string().nullable(),
            system: z.string().nullable(),
            openedAt: z.iso.datetime(),
            lastSeenAt: z.iso.datetime(),
            expiresAt: z.iso.datetime(),
            endedAt: z.iso.datetime().nullable(),
            endedBy: z.string().nullable(),
          }),
        ),
        events: z.array(
          z.object({
            kind: z.string(),
            at: z.iso.datetime(),
            rule: z.string().nullable(),
            method: z.string().nullable(),
            browser: z.string().nullable(),
            system: z.string().nullable(),
            network: z.string().nullable().describe('A /24 or /48'),
            operator: z.string().nullable(),
            requestId: z.string().nullable().describe('As in the log and in `x-request-id`'),
            supportCode: z.string().nullable().describe('Of the tab that sent the request'),
          }),
        ),
        emails: z.array(supportEmail),
      }),
    ),
    emails: z.array(supportEmail).describe('Sent to `email`, if no account has it'),
  }) satisfies z.ZodType<Awaited<ReturnType<typeof lookUpAccounts>>>,
  supportAction: z.object({
    action: z.enum(ACCOUNT_ACTIONS),
    uid: z.string(),
    at: z.iso.datetime(),
    receipt: z
      .object({
        uid: z.string(),
        deletedAt: z.iso.datetime(),
        deleted: z.array(z.string()),
        emailed: z.boolean().describe('The owner gets an email about it'),
      })
      .optional()
      .describe('Of `delete`: proof for the person whose account it was'),
    data: accountData.optional().describe('Of `export`: the file that "Download my data" gives to the owner'),
  }) satisfies z.ZodType<ActionDone>,
  signInDisavowed: z.object({
    email: z.string().nullable().describe("The owner's email, for the password reset that comes next"),
    asksMailbox: z.literal(true).optional().describe('Nothing was undone: another link was emailed to the owner'),
  }),
  emailChangeUndone: z.object({
    done: z
      .enum(['cancel', 'restore', 'remove'])
      .describe('A waiting change was canceled, the former email restored, or a recovery email removed'),
  }),
  deletionScheduled: z.object({
    effectiveAt: z.iso.datetime().describe('When the account is deleted'),
    ...customToken.partial().shape,
  }),
  signInChecked: z.object({ code: z.string().optional().describe('For `/api/actions/disavow-sign-in`') }),
  resetScheduled: z.object({ effectiveAt: z.iso.datetime().describe('When the second factor is turned off') }),
  accountData,
  live: z.object({ status: z.literal('live') }),
  ready: z.object({
    status: z.literal('ready'),
    redis: z.enum(['not configured', 'up', 'down']),
    database: z.enum(['not configured', 'up', 'down']),
  }),
  relatedOrigins: z.object({ origins: z.array(z.url()) }),
  passkeyEndpoints: z.object({ enroll: z.url(), manage: z.url() }),
  appleAppSiteAssociation: z.object({ webcredentials: z.object({ apps: z.array(z.string()) }) }),
  assetLinks: z.array(
    z.object({ relation: z.array(z.string()), target: z.union([androidApp, site]) }),
  ) satisfies z.ZodType<AssetLink[]>,
  errorReporting: z.object({
    enabled: z.boolean(),
    dsn: z.string().nullable().describe('Without its secret part'),
    environment: z.string().nullable(),
    release: z.string().nullable(),
    debug: z.boolean(),
    tunnel: z.string(),
    tracesSampleRate: z.number(),
    replaysOnErrorSampleRate: z.number(),
    replaysSessionSampleRate: z.number(),
    replay: z.record(z.string(), z.union([z.number(), z.boolean()])),
    droppedErrors: z.array(z.object({ types: z.array(z.string()), message: z.string() })),
  }),
} as const;
