import Router from 'next/router';
import { useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useFirstFocus } from '@/lib/browser/hooks';
import { ProviderStatus, isProviderBusy, type ProviderSignIn } from '@/components/providers/provider-sign-in';
import { CloseIcon } from '@/components/ui/close-icon';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { getPendingRedirect } from '@/lib/browser/auth/pending';
import { EMAIL_LINK_METHOD } from '@/lib/browser/auth/sign-in/this-device';
import {
  forgetAccount,
  getRememberedAccounts,
  type RememberedAccount,
} from '@/lib/browser/auth/sign-in/remembered-accounts';
import { useMessages } from '@/lib/browser/use-messages';
import { PASSKEY_METHOD, getMethodName, isOrganization, isSocialProvider } from '@/lib/shared/sign-in-methods';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { paths } from '@/lib/shared/paths';
import styles from './account-chooser.module.css';

/** Where the sign-in continues: at a field of the form, or with the account's method, which is then the first. */
export type AccountChoice =
  | { startAt: 'email' }
  | { startAt: 'method'; method: string }
  /** `chip` names the account above the password, instead of the field of its email. */
  | { startAt: 'password'; method: string; chip: ReactNode };

/** The list, until the learner chooses an account or another way. */
export type ChooserState = AccountChoice | { Chooser: ComponentType<AccountChooserProps> | null };

export type AccountChooserProps = {
  /** The origin's sign-in methods. */
  enabled: readonly string[];
  hasPasskeys: boolean;
  signIn: ProviderSignIn;
  onChoose: (choice: ChooserState) => void;
};

/**
 * Shows the list instead of the form if there are remembered accounts. It does not if the form is already filled in by
 * the learner, a password manager or an earlier screen, or if another method is focused or busy. It renders at once,
 * because input between the check and a later rendering would be lost.
 */
export function showChooser(show: (Chooser: ComponentType<AccountChooserProps>) => void): void {
  // Queries and not refs, because the form and the other methods are components of their own.
  const isNeeded = getRememberedAccounts().length > 0 && carriedEmail.get() === '' && getPendingRedirect() === null;
  const fields = [...document.querySelectorAll<HTMLInputElement>('form input:not([type="checkbox"])')];
  // Chrome hides a password manager's values from scripts until the learner acts.
  const isEmpty = fields.every((field) => field.value === '' && !field.matches(':autofill'));
  const isUsed = document.querySelector('main :is(:focus:not([name="email"]), [aria-disabled="true"])') !== null;
  if (isNeeded && isEmpty && !isUsed) flushSync(() => show(AccountChooser));
}

/** Whether a method is a partner's, which uses OpenID Connect. Organizations use SAML. */
const isPartner = (method: string) => isOrganization(method) && method.startsWith('oidc.');

/** The accounts that this browser remembers. Each signs in with its last method. */
function AccountChooser({ enabled, hasPasskeys, signIn, onChoose }: AccountChooserProps) {
  const { t } = useMessages('sign-in');
  const [accounts, setAccounts] = useState(getRememberedAccounts);
  const [removed, setRemoved] = useState('');
  const other = useRef<HTMLButtonElement>(null);
  useFirstFocus('account');
  const choose = (choice: AccountChoice) => {
    flushSync(() => onChoose(choice));
    // By name and not by ref, because the choice has only now shown the other component with this field or button.
    const [start] = document.getElementsByName(choice.startAt);
    start?.focus();
    // Click the method's own button on behalf of the learner.
    if (choice.startAt === 'method') start?.click();
  };
  const pick = ({ email, name, method }: RememberedAccount, button: HTMLElement) => {
    // A partner has no button among the methods, and the lookup by email finds only organizations. Without a carried
    // email, the list is shown again after a failure.
    if (isPartner(method)) return signIn.press(method, button);
    carriedEmail.set(email);
    if (method === EMAIL_LINK_METHOD) void Router.push(paths.emailLink);
    else if (isOrganization(method) && enabled.includes('enterprise')) void Router.push(paths.enterprise);
    else if (hasButton(method)) choose({ startAt: 'method', method });
    else {
      choose({ startAt: 'password', method, chip: <AccountChip email={email} name={name} onBack={showList} /> });
      // The form has it now. A reload shows the list again.
      carriedEmail.forget();
    }
  };
  const showList = () => {
    flushSync(() => onChoose({ Chooser: AccountChooser }));
    document.getElementsByName('account')[0]?.focus();
  };
  const isBusy = ({ method }: RememberedAccount) => isProviderBusy(signIn.phase, method);
  const hasButton = (method: string) => (method === PASSKEY_METHOD ? hasPasskeys : isSocial(method));
  const isSocial = (method: string) => isSocialProvider(method) && enabled.includes(method);
  const remove = ({ uid, email }: RememberedAccount) => {
    const left = forgetAccount(uid);
    if (left.length === 0) return choose({ startAt: 'email' });
    setAccounts(left);
    setRemoved(t('accounts.removed', { email: toDisplayEmail(email) }));
    // The pressed button is removed.
    other.current?.focus();
  };
  const nameMethod = (method: string) => {
    if (isSocialProvider(method)) return getMethodName(method);
    if (method === PASSKEY_METHOD) return t('accounts.passkey');
    if (method === EMAIL_LINK_METHOD) return t('accounts.emailLink');
    return isOrganization(method) ? t('accounts.organization') : t('accounts.password');
  };
  return (
    <section aria-label={t('accounts.label')}>
      <ProviderStatus signIn={signIn} />
      <ul className={styles.accounts}>
        {accounts.map((account) => {
          const email = toDisplayEmail(account.email);
          const approach = isPartner(account.method) ? signIn.approach : undefined;
          return (
            <li key={account.uid} className={styles.account}>
              <button
                type="button"
                name="account"
                className={styles.pick}
                aria-disabled={isBusy(account) || undefined}
                onClick={isBusy(account) ? undefined : (event) => pick(account, event.currentTarget)}
                onPointerEnter={approach}
                onFocus={approach}
              >
                <Who {...account} />
                <span className={styles.method}>{nameMethod(account.method)}</span>
              </button>
              <button
                type="button"
                className={styles.remove}
                aria-label={t('accounts.remove', { email })}
                onClick={() => remove(account)}
              >
                <CloseIcon />
              </button>
            </li>
          );
        })}
        <li className={styles.account}>
          <button ref={other} type="button" className={styles.pick} onClick={() => choose({ startAt: 'email' })}>
            <span className={styles.initial} aria-hidden="true">
              +
            </span>
            <strong className={styles.other}>{t('accounts.other')}</strong>
          </button>
        </li>
      </ul>
      <p className={styles.status} role="status">
        {signIn.phase.name === 'busy' ? t('signingIn') : removed}
      </p>
    </section>
  );
}

function Who({ email, name }: Pick<RememberedAccount, 'email' | 'name'>) {
  const shown = toDisplayEmail(email);
  return (
    <>
      <span className={styles.initial} aria-hidden="true">
        {[...(name || shown)][0]?.toUpperCase()}
      </span>
      <span className={styles.who}>
        {name && <strong dir="auto">{name}</strong>}
        <bdi>{shown}</bdi>
      </span>
    </>
  );
}

type ChipProps = Pick<RememberedAccount, 'email' | 'name'> & { onBack: () => void };

/** The chosen account above its password. The browser's Back button leads to the list, as this button does. */
function AccountChip({ email, name, onBack }: ChipProps) {
  const { t } = useMessages('sign-in');
  const latest = useRef(onBack);
  useEffect(() => {
    const back = (event: PopStateEvent) => {
      // The framework would load this page again.
      event.stopImmediatePropagation();
      latest.current();
    };
    window.history.pushState(window.history.state, '');
    window.addEventListener('popstate', back, { capture: true });
    return () => window.removeEventListener('popstate', back, { capture: true });
  }, []);
  return (
    <div className={styles.chip}>
      <Who email={email} name={name} />
      <button type="button" className={styles.change} onClick={() => window.history.back()}>
        {t('accounts.other')}
      </button>
    </div>
  );
}
