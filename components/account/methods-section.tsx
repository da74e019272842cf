import { useEffect, useId, useRef, useState } from 'react';
import { canChangeMethod, type AccountSecurity, type MethodChange as Change } from '@/lib/shared/account/security';
import { Button, ButtonLink } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { ProviderMark, ProviderButton } from '@/components/ui/provider-button';
import {
  getMethodName,
  getSocialProviderId,
  isOrganization,
  SOCIAL_PROVIDER_IDS,
  SOCIAL_PROVIDERS,
  type SocialProviderId,
} from '@/lib/shared/sign-in-methods';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import {
  finishLinkRedirect,
  linkMethod,
  unlinkMethod,
  type ProofFailure as Failure,
  type Proof,
  keepPendingChange,
  takePendingChange,
} from '@/lib/browser/account/account-methods';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { getPendingRedirect } from '@/lib/browser/auth/pending';
import { usePublicEnv } from '@/lib/browser/config/context';
import { checkAuthStatus } from '@/lib/browser/session/api';
import { ChangePanel, MethodFailure, POPUP_CLOSED, useConfirmedChange, useReload } from './change-panel';
import { ProofForm } from './proof-form';
import styles from './security.module.css';

/** The account's sign-in methods: links and unlinks them, but never unlinks the last one. */
export function MethodsSection({ account }: { account: AccountSecurity }) {
  const { t } = useMessages('security');
  const methods = useMethods(account);
  const { phase, begin } = methods;
  const linkedIds = account.methods.map(({ id }) => id);
  const others = SOCIAL_PROVIDER_IDS.filter((id) => !linkedIds.includes(SOCIAL_PROVIDERS[id].firebaseId));
  const getName = (id: string) => {
    if (id === 'password') return t('methods.password');
    return isOrganization(id) ? t('sso') : getMethodName(id);
  };
  const getRemovalLabel = (id: string) =>
    id === 'password' ? t('methods.removePassword') : t('methods.unlink', { method: getName(id) });
  const [first, second] = account.methods;
  const isOnlyProvider =
    second === undefined && account.passkeys === 0 && getSocialProviderId(first?.id ?? '') !== null;
  const [showsOthers, setShowsOthers] = useState(false);
  const othersId = useId();
  const list = useRef<HTMLUListElement>(null);
  // Below the button: on a phone it would open out of sight.
  useEffect(() => {
    if (!showsOthers) return;
    list.current?.scrollIntoView({ block: 'nearest' });
    list.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [showsOthers]);
  const opening = phase.name === 'opening' ? phase.change.id : null;
  const section = useReturnOfFocus(phase);
  return (
    <section className={styles.block} ref={section} aria-labelledby="security-methods">
      <h3 id="security-methods" tabIndex={-1}>
        {t('methods.heading')}
      </h3>
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
                <ProviderName id={id} />
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
    </section>
  );
}

function LinkedMethod({ id, name, email }: { id: string; name: string; email: string | null }) {
  const social = getSocialProviderId(id);
  return (
    <span className={styles.provider}>
      {social !== null && <ProviderMark provider={SOCIAL_PROVIDERS[social]} />}
      <span>
        {name} {email !== null && <bdi className={styles.soft}>{toDisplayEmail(email)}</bdi>}
      </span>
    </span>
  );
}

function ProviderName({ id }: { id: SocialProviderId }) {
  return (
    <span className={styles.provider}>
      <ProviderMark provider={SOCIAL_PROVIDERS[id]} />
      {SOCIAL_PROVIDERS[id].name}
    </span>
  );
}

/** Moves focus to the button that started a canceled change, or to the section's heading after a finished one. */
function useReturnOfFocus(phase: MethodsPhase) {
  const section = useRef<HTMLElement>(null);
  const begun = useRef<string | null>(null);
  const changing = 'change' in phase ? phase.change.id : null;
  useEffect(() => {
    if (changing === null && begun.current !== null) {
      const button = `[data-method="${CSS.escape(begun.current)}"]`;
      const back = phase.name === 'idle' ? section.current?.querySelector<HTMLElement>(button) : null;
      (back ?? section.current?.querySelector('h3'))?.focus();
    }
    begun.current = changing;
  }, [changing, phase.name]);
  return section;
}

type Props = {
  account: AccountSecurity;
  methods: ReturnType<typeof useMethods>;
  getName: (id: string) => string;
  getRemovalLabel: (id: string) => string;
};

/** One change of the account's sign-in methods: reauthentication, then the change itself. */
function MethodChange({ account, methods, getName, getRemovalLabel }: Props) {
  const { t } = useMessages('security');
  const { phase, prove, link, cancel } = methods;
  const isLink = 'change' in phase && phase.change.kind === 'link';
  const linksNext = isLink && (phase.name === 'proved' || phase.name === 'working');
  if (!('change' in phase)) return null;
  const { change, failure } = phase;
  const method = getName(change.id);
  const getLinkText = () => (linksNext ? t('proof.linkNext', { method }) : t('proof.toLink', { method }));
  const getRemovalText = () =>
    change.id === 'password' ? t('proof.toRemovePassword') : t('proof.toUnlink', { method });
  return (
    <ChangePanel
      stage={linksNext ? 'link' : 'prove'}
      text={isLink ? getLinkText() : getRemovalText()}
      failure={
        failure && (
          <MethodFailure failure={failure} email={account.email} keepChange={() => methods.keepChange(change)} />
        )
      }
      onCancel={cancel}
    >
      {change.kind === 'link' && linksNext ? (
        <ProviderButton
          provider={SOCIAL_PROVIDERS[change.id]}
          label={t('common:continueWith', { provider: method })}
          busy={phase.name === 'working'}
          busyLabel={t('proof.working')}
          onPress={() => link(change)}
        />
      ) : (
        <ProofForm
          account={account}
          busy={phase.name !== 'proving'}
          deed={isLink ? undefined : { label: getRemovalLabel(change.id), kind: 'danger' }}
          onProof={(proof) => prove(change, proof)}
        />
      )}
    </ChangePanel>
  );
}

/** Every change needs its own reauthentication: idle → opening → proving → (link: proved →) working → done or failed. */
type MethodsPhase = ReturnType<typeof useMethods>['phase'];
type Rest =
  | { name: 'idle' }
  | { name: 'opening' | 'proved' | 'working'; change: Change; failure?: Failure }
  | { name: 'done'; outcome: 'linked' | 'unlinked' | 'passwordRemoved' }
  | { name: 'failed'; during: Change | null; failure: Failure };

/** Links and unlinks sign-in methods of the signed-in user. @param account of the session's user */
function useMethods(account: AccountSecurity) {
  const env = usePublicEnv();
  const reloadMethods = useReload();
  const { phase, setPhase, startAttempt, confirm, cancel } = useConfirmedChange<Change, Rest>(account, {
    name: 'idle',
  });

  /** Another tab or device can have ended the session or changed the methods since this page was loaded. */
  const begin = async (change: Change) => {
    const { show } = startAttempt();
    show({ name: 'opening', change });
    const session = await checkAuthStatus();
    if (!session.ok && session.status === 401) {
      keepPendingChange(account.uid, change);
      carriedEmail.set(account.email ?? '');
      return window.location.assign(pathWithReturn('security', 'AutoSignOut'));
    }
    if (session.ok) await reloadMethods();
    show({ name: 'proving', change });
  };

  const settle = async (show: (next: Rest) => boolean, change: Change, failure: Failure | null) => {
    if (failure === 'last-method') await reloadMethods();
    if (failure === POPUP_CLOSED) return show({ name: 'proved', change, failure });
    if (failure !== null) return show({ name: 'failed', during: change, failure });
    // Redirected to the provider: the page loaded after the redirect finishes the change.
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
    // Runs once, on page load: a page that loads its data again has another `env`.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const prove = (change: Change, proof: Proof) =>
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
  const isObsolete = phase.name === 'proving' && !canChangeMethod(account, phase.change);
  return {
    phase: isObsolete ? ({ name: 'idle' } as const) : phase,
    begin: (change: Change) => void begin(change),
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
