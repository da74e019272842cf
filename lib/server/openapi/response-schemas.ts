import { z } from 'zod';
import { EVENT_KINDS, type Activity } from '@/lib/shared/account/activity';
import { coursesResponseSchema } from '@/lib/shared/courses/contract';
import { appConfigFields } from '@/lib/shared/config/app-config';
import { sessionStatusSchema } from '@/lib/shared/session-contract';

const customToken = z.object({
  customToken: z.string().describe('For a sign-in at the identity provider; valid for an hour'),
});
/** To a token request in form encoding (RFC 6749, section 5.1). */
const tokenResponse = z.object({
  access_token: z.string().describe('The custom token: for a sign-in at the identity provider'),
  token_type: z.literal('N_A').describe('Not usable as an access token (RFC 8693, section 2.2.1)'),
  expires_in: z.int().describe('Seconds'),
});

/** Bodies of responses with status 200, for the API description. */
export const responseSchemas = {
  nothing: z.object({}),
  session: sessionStatusSchema,
  appConfig: z.object(appConfigFields).partial(),
  courses: coursesResponseSchema,
  mailSent: z.object({ resendAfter: z.int().describe('Seconds until another email may be requested') }),
  codeSent: z.object({
    resendAfter: z.int().describe('Seconds until another code may be requested'),
    flow: z.string().describe('Id of the flow, for the calls that continue it'),
  }),
  customToken,
  methodRemoved: customToken.partial(),
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
      }),
    ),
    more: z.boolean(),
  }) satisfies z.ZodType<Activity>,
  deletionScheduled: z.object({ effectiveAt: z.iso.datetime().describe('When the account is deleted') }),
  accountData: z.object({
    createdAt: z.iso.datetime(),
    account: z.record(z.string(), z.unknown()).describe('As the identity provider has it, without the password hash'),
    records: z
      .record(z.string(), z.array(z.record(z.string(), z.unknown())))
      .describe('Rows of the database, by table'),
  }),
  live: z.object({ status: z.literal('live') }),
  ready: z.object({
    status: z.literal('ready'),
    redis: z.enum(['not configured', 'up', 'down']),
    database: z.enum(['not configured', 'up', 'down']),
  }),
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
