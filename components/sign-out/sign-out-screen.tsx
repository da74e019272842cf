import { useState, type FormEvent } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { APP_TIMEOUT_MS } from '@/lib/browser/callback';
import { useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { useDisplayDomain } from '@/lib/browser/learning-context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { PAGE_ACCOUNT_FIELD } from '@/lib/shared/request-headers';
import styles from '../layout/flow.module.css';

/**
 * A website that signed its user in through this app, and cannot be notified of the sign-out. `address`: its own
 * sign-out page.
 */
type LeftClient = { name: string; address: string | null; host: string | null };

type Props = AskProps | SignedOutProps;

type AskProps = {
  email: string | null;
  /** The account that the form sends. Undefined while it cannot be read. */
  accountUid?: string;
  destination: string;
  action: string;
  failure: 'other-account' | 'failed' | null;
  /** Null while the clients cannot be read. */
  staying: LeftClient[] | null;
};

type SignedOutProps = { left: LeftClient[]; next: string };

export function SignOutScreen(props: Props) {
  return 'left' in props ? <SignedOut {...props} /> : <AskToSignOut {...props} />;
}

/**
 * Asks before signing out. It is a plain form, which works without JavaScript. With JavaScript, it also signs out the
 * identity provider's user.
 */
function AskToSignOut({ email, accountUid, destination, action, failure, staying }: AskProps) {
  const { t } = useMessages('sign-out');
  const env = usePublicEnv();
  const brand = useBrand().name;
  const [isLeaving, setIsLeaving] = useState(false);
  useFreshAfterBack(() => setIsLeaving(false));
  const leave = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setIsLeaving(true);
    void import('@/lib/browser/auth/sign-in/sign-out')
      .then(({ signOutByForm }) => signOutByForm(env, form))
      .catch(() => form.submit())
      // An app opens without leaving this page, and a navigation can be stopped.
      .finally(() => setTimeout(() => setIsLeaving(false), APP_TIMEOUT_MS));
  };
  const isEverywhere = staying?.length === 0;
  const values = { brand, email };
  const everywhere = email === null ? t('lead', values) : t('leadWithEmail', values);
  const here = email === null ? t('leadHere', values) : t('leadHereWithEmail', values);
  const lead = isEverywhere ? everywhere : here;
  return (
    <AuthLayout heading={t('heading', { brand })} lead={lead} showsContext={false}>
      <div className={styles.stack}>
        {failure === 'failed' && <Notice tone="error">{t('common:signOutFailed')}</Notice>}
        {failure === 'other-account' && <Notice tone="error">{t('otherAccount')}</Notice>}
        {staying && staying.length > 0 && (
          <Notice tone="warning">
            <p>{t('staying', { brand })}</p>
            <ul className={styles.facts}>
              {staying.map((client) => (
                <li key={getKey(client)}>
                  <Named {...client} />
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {/* Ready from the start, because the early script must not delay the form until hydration. */}
        <form className={styles.stack} method="post" action={action} data-ready="" onSubmit={leave}>
          {accountUid !== undefined && <input type="hidden" name={PAGE_ACCOUNT_FIELD} value={accountUid} />}
          <Button type="submit" busy={isLeaving} busyLabel={t('common:signingOut')}>
            {t('signOut')}
          </Button>
        </form>
        <ButtonLink href={destination}>{t('stay')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

/**
 * Shown after a sign-out that did not reach every website. Another person at this computer could continue there as this
 * user.
 */
function SignedOut({ left, next }: SignedOutProps) {
  const { t } = useMessages('sign-out');
  const brand = useBrand().name;
  return (
    <AuthLayout heading={t('doneHeading', { brand })} lead={t('doneLead')} showsContext={false}>
      <div className={styles.stack}>
        <ul className={styles.facts}>
          {left.map(({ address, ...client }) => (
            <li key={getKey(client)}>
              {address === null ? (
                <Named {...client} />
              ) : (
                <>
                  <a href={address} target="_blank" rel="noopener noreferrer">
                    {t('signOutOf', { place: client.name })}
                  </a>
                  <span> </span>
                  <Host host={client.host} />
                </>
              )}
            </li>
          ))}
        </ul>
        <ButtonLink href={next}>{t('next')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

/** Two clients can have the same name. */
const getKey = ({ name, host }: Pick<LeftClient, 'name' | 'host'>) => `${name} ${host ?? ''}`;

function Named({ name, host }: Pick<LeftClient, 'name' | 'host'>) {
  return (
    <>
      <bdi>{name}</bdi>
      <span> </span>
      <Host host={host} />
    </>
  );
}

function Host({ host }: Pick<LeftClient, 'host'>) {
  const shown = useDisplayDomain(host);
  return shown !== null && <bdi className={styles.soft}>{shown}</bdi>;
}
