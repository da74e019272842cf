import { useEffect, useId, useRef, useState } from 'react';
import {
  asksFirst,
  canChangeMethod,
  type AccountSecurity,
  type MethodChange as Change,
} from '@/lib/shared/account/security';
import { Button, ButtonLink } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { ProviderMark, ProviderButton } from '@/components/ui/provider-button';
import { getMethodName, getSocialProviderId, isOrganization, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import {
  finishLinkRedirect,
  hasRecentProof,
  linkMethod,
  unlinkMethod,
  type ProofFailure as Failure,
  type AccountProof,
  keepPendingChange,
  takePendingChange,
} from '@/lib/browser/account/account-methods';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { forgetRedirect, getPendingRedirect } from '@/lib/browser/auth/pending';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { checkAuthStatus } from '@/lib/browser/session/api';
import {
  ChangePanel,
  MethodFailure,
  POPUP_CLOSED,
  useConfirmedChange,
  useReload,
  useReturnOfFocus,
} from './change-panel';
import { AccountRow } from './account-row';
import { ProofPanel } from './proof-form';
import { useRemaining } from './security-parts';
import styles from './security.module.css';

/** The account's sign-in methods. It links and unlinks them, but never unlinks the last method. */
export function MethodsSection({ account }: { account: AccountSecurity }) {
  const { t } = useMessages('security');
  const methods = useMethods(account);
  const { phase, begin } = methods;
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
  const opening = phase.name === 'opening' ? phase.change.id : null;
  useReturnOfFocus(phase, 'security-methods', (over) =>
    phase.name === 'idle' && 'change' in over ? `[data-method="${CSS.escape(over.change.id)}"]` : null,
  );
  return (
    <section className={styles.block} aria-labelledby="security-methods">
      <AccountRow id="security-methods" level="h3" label={t('methods.heading')} value={value} repeats>
        {phase.name === 'failed' && (
          <MethodFailure
            failure={phase.failure}
            email={account.email}
            keepChange={() => phase.during && methods.keepChange(phase.during)}
          />
        )}
        <LateNotice>{phase.name === 'done' && t(`methods.${phase.outcome}`)}</LateNotice>
        {'change' in phase && opening === null ? (
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
                        <Button
                          kind="quiet"
                          data-method={id}
                          busy={opening === id}
                          busyLabel={t('proof.working')}
                          onClick={() => begin({ kind: 'unlink', id })}
                        >
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
                  <Button
                    kind="quiet"
                    data-method={id}
                    busy={opening === id}
                    busyLabel={t('proof.working')}
                    onClick={() => begin({ kind: 'link', id })}
                  >
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
  const { phase, prove, link, cancel, keepChange } = methods;
  if (!('change' in phase)) return null;
  const { name, change, failure } = phase;
  const method = getName(change.id);
  const keep = () => keepChange(change);
  if (change.kind === 'link' && (name === 'proved' || name === 'working'))
    return (
      <ChangePanel
        stage="link"
        text={t('proof.linkNext', { method })}
        failure={failure && <MethodFailure failure={failure} email={account.email} keepChange={keep} />}
        onCancel={cancel}
      >
        <ProviderButton
          provider={SOCIAL_PROVIDERS[change.id]}
          label={t('common:continueWith', { provider: method })}
          busy={name === 'working'}
          busyLabel={t('proof.working')}
          onPress={() => link(change)}
        />
      </ChangePanel>
    );
  if (name === 'asking' || name === 'goingOn') {
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
        <Button
          kind="danger"
          busy={name === 'goingOn'}
          busyLabel={t('proof.working')}
          onClick={() => void methods.goOn(change)}
        >
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
      phase={phase}
      text={isLink ? t('proof.toLink', { method }) : removal}
      deed={isLink ? undefined : { label: getRemovalLabel(change.id), kind: 'danger' }}
      keepChange={keep}
      onProof={(proof) => prove(change, proof)}
      onCancel={cancel}
    />
  );
}

/**
 * Every change needs a recent authentication: idle → opening → (unlink: asking → goingOn →) proving → (link: proved →)
 * working → done or failed. After a recent sign-in by email, there is no `proving`.
 */
type Rest =
  | { name: 'idle' }
  | { name: 'opening' | 'asking' | 'goingOn' | 'proved' | 'working'; change: Change; failure?: Failure }
  | { name: 'done'; outcome: 'linked' | 'unlinked' | 'passwordRemoved' }
  | { name: 'failed'; during: Change | null; failure: Failure };

/** Links and unlinks sign-in methods of the signed-in user. @param account the session's user */
function useMethods(account: AccountSecurity) {
  const env = usePublicEnv();
  const reloadMethods = useReload();
  const { phase, setPhase, startAttempt, confirm, cancel } = useConfirmedChange<Change, Rest>(account, {
    name: 'idle',
  });

  // The user came back with the Back button, so the redirect is no longer pending.
  useFreshAfterBack(forgetRedirect);

  /** Another tab or device may have ended the session or changed the methods after this page was loaded. */
  const begin = async (change: Change) => {
    const { show, signal } = startAttempt();
    show({ name: 'opening', change });
    const session = await checkAuthStatus();
    if (!session.ok && session.status === 401) {
      keepPendingChange(account.uid, change);
      carriedEmail.set(account.email ?? '');
      return window.location.assign(pathWithReturn('security', 'AutoSignOut'));
    }
    if (session.ok) await reloadMethods();
    if (change.kind === 'unlink' && asksFirst(account)) return show({ name: 'asking', change });
    const isProved = await hasRecentProof(env, account);
    if (signal.aborted) return;
    if (isProved) show({ name: change.kind === 'unlink' ? 'asking' : 'proved', change });
    else show({ name: 'proving', change });
  };

  const goOn = async (change: Change) => {
    const { show, signal } = startAttempt();
    show({ name: 'goingOn', change });
    const isProved = await hasRecentProof(env, account);
    if (signal.aborted) return;
    if (isProved) await settle(show, change, await unlinkMethod(env, change.id));
    else show({ name: 'proving', change });
  };

  const settle = async (show: (next: Rest) => boolean, change: Change, failure: Failure | null) => {
    if (failure === 'last-method') await reloadMethods();
    if (failure === POPUP_CLOSED) return show({ name: 'proved', change, failure });
    if (failure !== null) return show({ name: 'failed', during: change, failure });
    // The page that loads after the provider's redirect completes the change.
    if (getPendingRedirect() !== null) return;
    await reloadMethods();
    show({ name: 'done', outcome: toOutcome(change) });
  };

  useEffect(() => {
    void finishLinkRedirect(env).then(async (outcome) => {
      if (outcome === 'nothing') {
        const interrupted = takePendingChange(account.uid);
        return interrupted && begin(interrupted);
      }
      if (outcome !== 'linked') return setPhase({ name: 'failed', during: null, failure: outcome });
      await reloadMethods();
      setPhase({ name: 'done', outcome: 'linked' });
    });
    // Runs once, on page load. A page that reloads its data has another `env`.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const prove = (change: Change, proof: AccountProof) =>
    confirm(change, proof, async ({ show }) => {
      show({ name: change.kind === 'link' ? 'proved' : 'working', change });
      if (change.kind !== 'link') await settle(show, change, await unlinkMethod(env, change.id));
      return null;
    });
  const link = async (change: Change) => {
    if (change.kind !== 'link') return;
    const { show, signal } = startAttempt();
    show({ name: 'working', change });
    const onClosed = () => show({ name: 'proved', change, failure: POPUP_CLOSED });
    await settle(show, change, await linkMethod(env, change.id, { signal, onClosed }));
  };
  const isObsolete = (phase.name === 'proving' || phase.name === 'asking') && !canChangeMethod(account, phase.change);
  return {
    phase: isObsolete ? ({ name: 'idle' } as const) : phase,
    begin: (change: Change) => void begin(change),
    goOn,
    cancel,
    prove,
    link: (change: Change) => void link(change),
    keepChange: (change: Change) => keepPendingChange(account.uid, change),
  };
}

function toOutcome({ kind, id }: Change) {
  if (kind === 'link') return 'linked';
  return id === 'password' ? 'passwordRemoved' : 'unlinked';
}
