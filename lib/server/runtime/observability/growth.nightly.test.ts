import { it } from 'vitest';
import { expectLinear, HOSTILE_PARTS } from '@/tests/support/growth';
import { emailRules } from '@/lib/shared/account/email-rules';
import { createRegistrationSchemas } from '@/lib/shared/account/registration-schema';
import { signInRules } from '@/lib/browser/account/sign-in-rules';
import { validateCallback } from '@/lib/shared/callback/rules';
import { isDropped, redactEnvelope } from '@/lib/shared/error-reporting/options';
import { readOrigin } from '../app-config';
import { getClientAddress } from '../client';
import { createLog } from './log';
import { getReportedHost } from '@/lib/server/http/browser-reports';
import { getRouteName } from './metrics';

const { withPassword } = createRegistrationSchemas({ min: 3, max: 28 });

const policy = {
  mainDomain: 'campus.example',
  ownOrigins: ['https://id.campus.example'],
  mobileScheme: 'campus',
  dashboardUrl: 'https://learn.campus.example/',
};
const log = createLog('info', { write: () => undefined });
const from = (header: string) =>
  ({ headers: { 'x-forwarded-for': header }, socket: {} }) as unknown as Parameters<typeof getClientAddress>[0];
const sent = (item: unknown) => redactEnvelope([{}, [item]] as unknown as Parameters<typeof redactEnvelope>[0]);

/** All functions that match untrusted text with patterns. */
const READERS: Record<string, (text: string) => unknown> = {
  'the log': (text) => log.info({ text, err: new Error(text) }, text),
  'an error report': (text) => sent([{}, { exception: { values: [{ value: text }] }, request: { url: text } }]),
  'a recording': (text) => sent([{}, JSON.stringify([{ data: { href: text } }])]),
  'what is not reported': (message) => [undefined, 'TypeError'].map((type) => isDropped({ type, message })),
  'the name of a route': (text) => [getRouteName(`/api/${text}`), getRouteName(text)],
  'a report of a policy': (text) => [getReportedHost(text), getReportedHost(`https://${text}/`)],
  'a callback': (text) => [validateCallback(text, policy), validateCallback(`https://${text}`, policy)],
  'an origin': (text) => [readOrigin(text), readOrigin(`https://${text}`)],
  'a forwarded address': (text) => getClientAddress(from(text), 64, 1),
  'a registration': (text) =>
    [text, `a@${text}`].map((email) => withPassword.safeParse({ name: text, email, password: text })),
  'the rules of forms': (email) => [
    emailRules.resolver({ email }),
    emailRules.resolver({ email: `a@${email}` }),
    signInRules.resolver({ email: `a@${email}` }),
  ],
};

it.each(Object.entries(READERS))('%s takes linear time', { timeout: 120_000 }, (_name, read) => {
  for (const part of HOSTILE_PARTS) expectLinear(read, part);
});
