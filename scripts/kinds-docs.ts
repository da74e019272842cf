import texts from '@/locales/en/security.json';
import { composeEmail, type EmailRequest } from '@/lib/server/notifications/email';
import { EVENT_KINDS } from '@/lib/shared/account/activity';
import { sampleEmails, sampleSettings } from './lib/sample-emails.mjs';

const HEAD = `# Kinds of events and emails

This page explains the names in \`events\` and \`emails\` of a [look-up](index.md#look-up-an-account), and of
\`node cli account\`. \`npm run docs\` writes it.

## Events

| kind | what the owner reads in the activity |
| --- | --- |
`;

/** Kinds that the owner does not see in the activity. */
const HIDDEN = {
  refused:
    'nothing: a sign-in or a session was refused. `rule` names the rule of the [account policy](../account-policy.md#sign-in)',
  'support-viewed': 'nothing: an operator looked up the account. It is in "Download my data"',
} as const;

const EMAILS = `
## Emails

| kind | subject |
| --- | --- |
`;

/** Writes the table of every kind of event and of email, from the texts that learners read. */
export function buildKindsReference(): string {
  const events = EVENT_KINDS.map((kind) => [kind, texts.activity.kinds[kind]]);
  const subjects = new Map(
    (sampleEmails as EmailRequest[]).map((email) => [email.kind, composeEmail(email, sampleSettings.campus).subject]),
  );
  return [HEAD, toRows([...events, ...Object.entries(HIDDEN)]), EMAILS, toRows([...subjects])].join('');
}

const toRows = (rows: (readonly string[])[]) =>
  rows.map(([kind = '', text = '']) => `| \`${kind}\` | ${text.replaceAll('|', '\\|')} |\n`).join('');
