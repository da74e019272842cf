import { useEffect, useId, useRef, useState } from 'react';
import { canChangeMethod, type AccountSecurity, type MethodChange as Change } from '@/lib/shared/account/security';
import { Button, ButtonLink } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { ProviderMark, ProviderButton } from '@/components/ui/provider-button';
import {
  getMethodName,
  getSocialProviderId,
  isOrganization,
  SOCIAL_PROVIDERS,
  type SocialProviderId,
} from '@/lib/shared/sign-in-methods';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import {
  finishLinkRedirect,
  linkMethod,
  unlinkMethod,
  keepPendingChange,
  takePendingChange,
} from '@/lib/browser/account/account-methods';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { forgetRedirect, getPendingRedirect } from '@/lib/browser/auth/pending';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { checkAuthStatus } from '@/lib/browser/session/api';
import { isOver } from './change';
import { ChangePanel, MethodFailure, useReload } from './change-panel';
import { AccountRow } from './account-row';
import { ProofPanel } from './proof-form';
import { useRemaining } from './security-parts';
import styles from './security.module.css';
import { getStepBefore, POPUP_CLOSED, useChange } from './use-change';

/** The account's sign-in methods. It links and unlinks them, but never unlinks the last method. */
export function MethodsSection({ account }: { account: AccountSecurity }) {
  const { t } = useMessages('security');
  const methods = useMethods(account);
  const { phase, getButton } = methods;
  const others = account.connectable;
  const getName = (id: string) => {
    if (id === 'password') return t('methods.password');
    return isOrganization(id) ? t('sso') : getMethodName(id);
  };
  const getRemovalLabel = (id: string) =>
    id === 'password' ? t('methods.removePassword') : t('methods.unlink', { method: getName(id) });
  const language = useLanguage();
  const value = new Intl.ListFormat(language).format(account.methods.map(({ id }) => getName(id)));
  const [first, second] = account.methods;
  const isOnlyProvider =
    second === undefined && account.passkeys === 0 && getSocialProviderId(first?.id ?? '') !== null;
  const [showsOthers, setShowsOthers] = useState(false);
  const othersId = useId();
  const list = useRef<HTMLUListElement>(null);
  // Scroll the list into view, because on a phone it would open below the screen.
  useEffect(() => {
    if (!showsOthers) return;
    list.current?.scrollIntoView({ block: 'nearest' });
    list.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [showsOthers]);
  // A failure is shown below the heading, which then gets the focus.
  const getButtonProps = (change: Change) => ({
    ...getButton(change),
    ...(phase.name === 'failed' && { ref: undefined }),
  });
  return (
    <section className={styles.block} aria-labelledby="security-methods">
      <AccountRow
        id="security-methods"
        level="h3"
        label={t('methods.heading')}
        value={value}
        repeats
        headingRef={methods.heading}
      >
        {phase.name === 'failed' && (
          <MethodFailure
            failure={phase.failure}
            email={account.email}
            keepChange={() => keepPendingChange(account.uid, phase.change)}
          />
        )}
        <LateNotice>{phase.name === 'done' && t(`methods.${toOutcome(phase.change)}`)}</LateNotice>
        {phase.name !== 'opening' && !isOver(phase) ? (
          <MethodChange account={account} methods={methods} getName={getName} getRemovalLabel={getRemovalLabel} />
        ) : (
          <>
            {account.methods.length > 0 && (
              <ul className={styles.methods}>
                {account.methods.map(({ id, email }) => (
                  <li key={id} className={styles.method}>
                    <LinkedMethod id={id} name={getName(id)} email={id === 'password' ? null : email} />
                    <span className={styles.actions}>
                      {id === 'password' && (
                        <ButtonLink kind="quiet" href={paths.changePassword}>
                          {t('methods.changePassword')}
                        </ButtonLink>
                      )}
                      {canChangeMethod(account, { kind: 'unlink', id }) ? (
                        <Button kind="quiet" {...getButtonProps({ kind: 'unlink', id })} busyLabel={t('proof.working')}>
                          {getRemovalLabel(id)}
                        </Button>
                      ) : (
                        <span className={styles.soft}>
                          {account.passkeys > 0 ? t('methods.lastButPasskey') : t('methods.last')}
                        </span>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {first !== undefined && isOnlyProvider && (
              <p className={styles.soft}>{t('methods.replaceFirst', { method: getName(first.id) })}</p>
            )}
            {others.length > 0 && (
              <div className={styles.choices}>
                <Button
                  kind="secondary"
                  aria-expanded={showsOthers}
                  aria-controls={othersId}
                  onClick={() => setShowsOthers(!showsOthers)}
                >
                  {t('methods.another')}
                </Button>
              </div>
            )}
            <ul
              ref={list}
              id={othersId}
              className={styles.methods}
              aria-label={t('methods.others')}
              hidden={!showsOthers}
            >
              {others.map((id) => (
                <li key={id} className={styles.method}>
                  <span className={styles.provider}>
                    <ProviderMark provider={SOCIAL_PROVIDERS[id]} />
                    <span>{SOCIAL_PROVIDERS[id].name}</span>
                  </span>
                  <Button kind="quiet" {...getButtonProps({ kind: 'link', id })} busyLabel={t('proof.working')}>
                    {t('methods.link', { method: getName(id) })}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </AccountRow>
    </section>
  );
}

function LinkedMethod({ id, name, email }: { id: string; name: string; email: string | null }) {
  const social = getSocialProviderId(id);
  return (
    <span className={styles.provider}>
      {social !== null && <ProviderMark provider={SOCIAL_PROVIDERS[social]} />}
      <span>
        <span>{`${name} `}</span>
        {email !== null && <bdi className={styles.soft}>{toDisplayEmail(email)}</bdi>}
      </span>
    </span>
  );
}

type Props = {
  account: AccountSecurity;
  methods: ReturnType<typeof useMethods>;
  getName: (id: string) => string;
  getRemovalLabel: (id: string) => string;
};

/** A change of the account's sign-in methods: reauthentication, then the change itself. */
function MethodChange({ account, methods, getName, getRemovalLabel }: Props) {
  const { t } = useMessages('security');
  const list = useRemaining();
  const { phase, press, cancel } = methods;
  if (phase.name === 'opening' || isOver(phase)) return null;
  const { name, change } = phase;
  const method = getName(change.id);
  const keep = () => keepPendingChange(account.uid, change);
  if (change.kind === 'link' && name === 'proved')
    return (
      <ChangePanel
        stage="link"
        text={t('proof.linkNext', { method })}
        failure={phase.failure && <MethodFailure failure={phase.failure} email={account.email} keepChange={keep} />}
        onCancel={cancel}
      >
        <ProviderButton
          provider={SOCIAL_PROVIDERS[change.id]}
          label={t('common:continueWith', { provider: method })}
          busy={phase.isBusy === true}
          busyLabel={t('proof.working')}
          onPress={press}
        />
      </ChangePanel>
    );
  if (name === 'asking') {
    const left = { methods: account.methods.filter(({ id }) => id !== change.id), passkeys: account.passkeys };
    return (
      <ChangePanel
        stage="ask"
        text={change.id === 'password' ? t('methods.askPassword') : t('methods.ask', { method })}
        facts={[
          t('passkeys.remaining', { methods: list(left, (count) => t('status.passkeys', { count })) }),
          t('passkeys.othersSignedOut'),
        ]}
        onCancel={cancel}
      >
        <Button kind="danger" busy={phase.isBusy} busyLabel={t('proof.working')} onClick={press}>
          {getRemovalLabel(change.id)}
        </Button>
      </ChangePanel>
    );
  }
  const removal = change.id === 'password' ? t('proof.toRemovePassword') : t('proof.toUnlink', { method });
  const isLink = change.kind === 'link';
  return (
    <ProofPanel
      account={account}
      hook={methods}
      text={isLink ? t('proof.toLink', { method }) : removal}
      deed={isLink ? undefined : { label: getRemovalLabel(change.id), kind: 'danger' }}
      keepChange={keep}
    />
  );
}

/** Links and unlinks sign-in methods of the signed-in user. @param account the session's user */
function useMethods(account: AccountSecurity) {
  const env = usePublicEnv();
  const reloadMethods = useReload();
  const hook = useChange<Change>(async (change, at, { signal, show }) => {
    if (at === 'opening') {
      // Another tab or device may have ended the session or changed the methods after this page was loaded.
      const session = await checkAuthStatus();
      if (!session.ok && session.status === 401) {
        keepPendingChange(account.uid, change);
        carriedEmail.set(account.email ?? '');
        window.location.assign(pathWithReturn('security', 'AutoSignOut'));
        return null;
      }
      if (session.ok) await reloadMethods();
    }
    const before = await getStepBefore(env, account, at, change.kind === 'unlink');
    if (before || signal.aborted) return before;
    if (change.kind === 'link' && at !== 'proved') return { name: 'proved' };
    const onClosed = () => show({ name: 'proved', failure: POPUP_CLOSED });
    const failure = await (change.kind === 'link'
      ? linkMethod(env, change.id, { signal, onClosed })
      : unlinkMethod(env, change.id));
    if (failure === 'last-method') await reloadMethods();
    if (failure === POPUP_CLOSED) return { name: 'proved', failure };
    if (failure !== null) return { name: 'failed', failure };
    // The page that loads after the provider's redirect completes the change.
    if (getPendingRedirect() !== null) return null;
    await reloadMethods();
    return { name: 'done' };
  });
  const { phase, dispatch } = hook;

  // The user came back with the Back button, so the redirect is no longer pending.
  useFreshAfterBack(forgetRedirect);

  useEffect(() => {
    const id = getPendingRedirect()?.provider as SocialProviderId;
    void finishLinkRedirect(env).then(async (outcome) => {
      if (outcome === 'nothing') {
        const interrupted = takePendingChange(account.uid);
        return interrupted && hook.begin(interrupted);
      }
      if (outcome === 'linked') await reloadMethods();
      dispatch({ type: 'begin', change: { kind: 'link', id } });
      dispatch({ type: 'advance', to: outcome === 'linked' ? { name: 'done' } : { name: 'failed', failure: outcome } });
    });
    // Runs once, on page load. A page that reloads its data has another `env`.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  // Another tab has made or prevented the change.
  if ((phase.name === 'proving' || phase.name === 'asking') && !phase.isBusy && !canChangeMethod(account, phase.change))
    dispatch({ type: 'cancel' });
  return hook;
}

function toOutcome({ kind, id }: Change) {
  if (kind === 'link') return 'linked';
  return id === 'password' ? 'passwordRemoved' : 'unlinked';
}
