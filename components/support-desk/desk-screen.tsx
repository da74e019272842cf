import { useEffect, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { Mark } from '@/components/layout/mark';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/form/fields';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { PageTitle } from '@/components/ui/page-title';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { PageReady } from '@/lib/browser/page-start';
import { lookUp, type DeskFailure } from '@/lib/browser/support/desk-client';
import { parseSupportCode } from '@/lib/shared/support/support-code';
import { LOOK_UP_KEYS, type LookedUp, type LookUpKey } from '@/lib/shared/support/desk';
import { AccountPart, EmailEntries } from './account-part';
import { DeskFailureNotice } from './desk-failure-notice';
import { reason, REASON_HINT } from './reason';
import { SelectField } from './select-field';
import styles from './desk.module.css';

const isRequestId = (value: string) => /^[\w-]{8,64}$/.test(value);

/** What can be searched for, with the rule of the call's parameter. */
const KEYS: Readonly<Record<LookUpKey, { name: string; hint: string; isValid: (value: string) => boolean }>> = {
  email: {
    name: 'Email',
    hint: 'The address that the learner names.',
    isValid: (value) => value.includes('@') && value.length <= 320,
  },
  uid: { name: 'Account id', hint: 'As in the log of the platform.', isValid: (value) => value.length <= 128 },
  supportCode: {
    name: 'Support code',
    hint: 'From an error page. Or from /self-check, after which the learner tries again in that tab.',
    isValid: (value) => parseSupportCode(value) !== null || isRequestId(value),
  },
  requestId: {
    name: 'Request id',
    hint: 'From an error page or the log.',
    isValid: isRequestId,
  },
};

const schema = z
  .object({
    token: z.string().check(z.trim(), z.minLength(1, 'Enter your token.')),
    by: z.enum(LOOK_UP_KEYS),
    value: z.string().check(z.trim(), z.minLength(1, 'Enter what to search for.')),
    reason,
  })
  .check(
    z.refine(({ by, value }) => KEYS[by].isValid(value), { path: ['value'], message: 'Check the spelling of this.' }),
  );
type Values = z.infer<typeof schema>;

const EMPTY: Values = { token: '', by: 'email', value: '', reason: '' };

/** `search`: its number, which tells two look-ups of one account apart. */
type Found = LookedUp & { by: LookUpKey; reason: string; search: number };

/**
 * The support desk (docs/support/index.md): looks accounts up and acts on them with the token of an operator. The token
 * stays in its field, so a reload forgets it. There is no cache of answers, because each look-up is an event that the owner
 * can read.
 */
export default function DeskScreen() {
  const [found, setFound] = useState<Found | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useFlowForm<Values, DeskFailure>({
    schema,
    defaults: EMPTY,
    submit: async ({ token, ...query }) => {
      const result = await lookUp(token, query);
      if (!result.ok) return result.failure;
      const { by, reason: why } = query;
      setFound((before) => ({ ...result.data, by, reason: why, search: (before?.search ?? 0) + 1 }));
      // Another search may follow.
      form.reset();
      return null;
    },
  });
  useFreshAfterBack(() => {
    setFound(null);
    form.fields.reset(EMPTY);
  });
  useEffect(() => {
    if (found) heading.current?.focus();
  }, [found]);
  const { phase, fields } = form;
  const { name, hint } = KEYS[fields.watch('by')];
  return (
    <PageTitle title="Support desk">
      <div className={styles.page}>
        <header className={styles.header}>
          <Mark />
        </header>
        <main className={styles.main}>
          <div className={styles.intro}>
            <h1>Support desk</h1>
            <p className={styles.lead}>
              Look up a learner&apos;s account, and act on it. The owner can read your name and your reason.
            </p>
          </div>
          <Form label="Look up an account" flow={form}>
            {phase.name === 'failed' && <DeskFailureNotice failure={phase.failure} onExpire={form.reset} />}
            <TextField
              form={fields}
              name="token"
              type="password"
              label="Your token"
              hint="This page forgets it when you close or reload it."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <div className={styles.pair}>
              <SelectField form={fields} name="by" label="Search by">
                {LOOK_UP_KEYS.map((key) => (
                  <option key={key} value={key}>
                    {KEYS[key].name}
                  </option>
                ))}
              </SelectField>
              <TextField
                form={fields}
                name="value"
                label={name}
                hint={hint}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
              />
            </div>
            <TextField form={fields} name="reason" label="Reason" hint={REASON_HINT} autoComplete="off" />
            <Button type="submit" busy={isBusy(phase)} busyLabel="Looking up">
              Look up
            </Button>
          </Form>
          {found && (
            <div className={styles.results}>
              <h2 ref={heading} tabIndex={-1}>
                {describeCount(found)}
              </h2>
              {found.accounts.length === 0 && <Nothing {...found} />}
              {isByEvents(found.by) && found.accounts.length > 0 && (
                <p>Anyone can send a code that they have read. Before you act, ask for the email.</p>
              )}
              {found.accounts.map((account) => (
                <AccountPart
                  key={`${account.uid} ${found.search}`}
                  found={account}
                  reason={found.reason}
                  getToken={() => fields.getValues('token').trim()}
                />
              ))}
            </div>
          )}
        </main>
      </div>
      <PageReady />
    </PageTitle>
  );
}

/** What to do without an account, and the emails to the address, such as the one of a failed registration. */
function Nothing({ by, emails }: Found) {
  if (by !== 'email')
    return <p>Check the spelling. A call that failed before an account was known is only in the log.</p>;
  return (
    <>
      <p>Check the spelling. These emails were sent to the address in 30 days:</p>
      <EmailEntries emails={emails} />
    </>
  );
}

/** Whether the search finds accounts by their events, so by what a browser sent. */
const isByEvents = (by: LookUpKey) => by === 'supportCode' || by === 'requestId';

function describeCount({ by, accounts: { length: count } }: Found): string {
  if (count === 0) return 'No account found';
  if (count === 1) return 'One account found';
  if (isByEvents(by)) return `${count} accounts found, the first one that sent it at the top`;
  return `${count} accounts found: one has the email now, and the others have proved it or had it before`;
}
