import { useId, useState, type ReactNode } from 'react';
import type { Receipt, SentEmail, SupportAccount } from '@/lib/shared/support/desk';
import { buildTimeline } from '@/lib/shared/support/timeline';
import { ActionsPart } from './actions-part';
import { ReceiptPart } from './receipt-part';
import { displayMoment } from './moment';
import styles from './desk.module.css';

type Props = {
  found: SupportAccount;
  /** Of the look-up. The first suggestion for an action. */
  reason: string;
  getToken: () => string;
};

/** What is known about an account, and what can be done with it. After a deletion only its receipt is left. */
export function AccountPart({ found, reason, getToken }: Props) {
  const id = useId();
  const [account, setAccount] = useState(found);
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const name = account.email ?? account.provedEmail ?? account.uid;
  return (
    <section className={styles.account} aria-labelledby={id}>
      <h3 id={id}>{name}</h3>
      {receipt ? (
        <ReceiptPart receipt={receipt} />
      ) : (
        <>
          <Facts account={account} />
          <ActionsPart
            account={account}
            name={name}
            reason={reason}
            getToken={getToken}
            onRefreshed={setAccount}
            onDeleted={setReceipt}
          />
          <Records account={account} />
        </>
      )}
    </section>
  );
}

function Facts({ account }: { account: SupportAccount }) {
  const {
    uid,
    email,
    provedEmail,
    recoveryEmail,
    createdAt,
    lastSignInAt,
    state,
    signInMethods,
    passkeys,
    secondFactor,
  } = account;
  const { since, apps, recoveryCodesLeft } = secondFactor;
  const ways = [
    ...signInMethods.map(({ method, email: own }) => [method, own].filter(Boolean).join(', ')),
    ...passkeys.map((passkey) => `passkey ${describePasskey(passkey)}`),
  ];
  const factors = [
    ...apps.map(({ createdAt: at, lastUsedAt }) => `authenticator app ${describeUse(at, lastUsedAt)}`),
    ...(since === null ? [] : [`recovery codes left: ${recoveryCodesLeft}`]),
  ];
  return (
    <>
      <Part heading="State">
        {state.length === 0 ? (
          <p>Nothing keeps the owner from signing in.</p>
        ) : (
          <ul className={styles.state}>
            {state.map(({ rule, text }) => (
              <li key={rule}>{text}</li>
            ))}
          </ul>
        )}
      </Part>
      <dl className={styles.facts}>
        <Fact name="Account id">{uid}</Fact>
        <Fact name="Email">{email ?? 'none'}</Fact>
        {provedEmail !== null && provedEmail !== email && <Fact name="Proved email">{provedEmail}</Fact>}
        {recoveryEmail !== null && <Fact name="Recovery email">{recoveryEmail}</Fact>}
        <Fact name="Created">{displayOr(createdAt, 'unknown')}</Fact>
        <Fact name="Last sign-in">{displayOr(lastSignInAt, 'never')}</Fact>
        <Fact name="Sign-in methods">
          <Lines lines={ways} />
        </Fact>
        <Fact name="Two-step verification">
          <Lines lines={factors} />
        </Fact>
      </dl>
    </>
  );
}

function Records({ account }: { account: SupportAccount }) {
  const { emails, sessions } = account;
  const timeline = buildTimeline(account).reverse();
  return (
    <>
      <Part heading="Emails of 30 days">
        <EmailEntries emails={emails} />
      </Part>
      <Part heading="Sessions">
        <Entries
          none="There is no session."
          entries={sessions.map(({ openedAt, lastSeenAt, endedAt, endedBy, method, browser, system }, index) => ({
            key: `${openedAt} ${index}`,
            at: openedAt,
            text: [endedAt === null ? 'open' : `ended, ${endedBy ?? 'unknown'}`, method, browser, system]
              .filter(Boolean)
              .join(', '),
            details: [`Last used ${displayMoment(lastSeenAt)}`],
          }))}
        />
      </Part>
      <Part heading="Timeline">
        <Entries
          none="Nothing has happened."
          entries={timeline.map(({ at, text }, index) => ({
            key: `${at} ${index}`,
            at,
            text,
            isBad: text.startsWith('refused'),
          }))}
        />
      </Part>
    </>
  );
}

/** Every attempt to send an email, the newest first. */
export function EmailEntries({ emails }: { emails: SentEmail[] }) {
  return (
    <Entries
      none="The app has sent no email in 30 days."
      entries={emails.map(({ messageId, kind, at, result, answer }, index) => ({
        // Repeated attempts have the same id.
        key: `${messageId} ${index}`,
        at,
        text: `${kind}: ${result}`,
        details: [answer, `Message-ID ${messageId}`],
        isBad: result !== 'sent',
      }))}
    />
  );
}

function Part({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <div className={styles.part}>
      <h4>{heading}</h4>
      {children}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Lines({ lines }: { lines: string[] }) {
  if (lines.length === 0) return <span>none</span>;
  return (
    <ul>
      {lines.map((line, index) => (
        <li key={`${index} ${line}`}>{line}</li>
      ))}
    </ul>
  );
}

type Entry = { key: string; at: string; text: string; details?: string[]; isBad?: boolean };
/** More entries are behind a disclosure, because an account can have hundreds. */
const SHOWN = 8;

/** Entries, the newest first. */
function Entries({ entries, none }: { entries: Entry[]; none: string }) {
  const more = entries.slice(SHOWN);
  if (entries.length === 0) return <p className={styles.soft}>{none}</p>;
  return (
    <>
      <EntryList entries={entries.slice(0, SHOWN)} />
      {more.length > 0 && (
        <details>
          <summary className={styles.more}>{`Show ${more.length} more`}</summary>
          <EntryList entries={more} />
        </details>
      )}
    </>
  );
}

function EntryList({ entries }: { entries: Entry[] }) {
  return (
    <ul className={styles.entries}>
      {entries.map(({ key, at, text, details = [], isBad = false }) => (
        <li key={key}>
          <time dateTime={at}>{displayMoment(at)}</time>
          <div>
            <p className={isBad ? styles.bad : undefined}>{text}</p>
            {details.map((detail) => (
              <p key={detail} className={styles.soft}>
                {detail}
              </p>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

function describePasskey({ name, createdAt, lastUsedAt, suspectAt }: SupportAccount['passkeys'][number]): string {
  const isSuspect = suspectAt === null ? '' : ', refused because a copy may exist';
  return `${name === null ? '' : `“${name}” `}${describeUse(createdAt, lastUsedAt)}${isSuspect}`;
}

function describeUse(createdAt: string, lastUsedAt: string | null): string {
  return `added ${displayMoment(createdAt)}, last used ${displayOr(lastUsedAt, 'never')}`;
}

function displayOr(moment: string | null, instead: string): string {
  return moment === null ? instead : displayMoment(moment);
}
