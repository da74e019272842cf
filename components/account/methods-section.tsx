import { canChangeMethod, type AccountSecurity } from '@/lib/shared/account/security';
import { useEffect, useId, useRef, useState } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { ProviderMark } from '@/components/ui/provider-mark';
import { getMethodName, getSocialProviderId, isOrganization } from '@/lib/shared/providers/method-name';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/providers/social-providers';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { MethodChange } from './method-change';
import { MethodFailure } from './method-failure';
import styles from './security.module.css';
import { useMethods, type MethodsPhase } from './use-methods';

/** The account's sign-in methods: links and unlinks them, but never unlinks the last one. */
export function MethodsSection({ account }: { account: AccountSecurity }) {
  const { t } = useMessages('security');
  const methods = useMethods(account);
  const { phase, begin } = methods;
  const linkedIds = account.methods.map(({ id }) => id);
  const others = Object.keys(SOCIAL_PROVIDERS)
    .filter(isSocialProvider)
    .filter((id) => !linkedIds.includes(SOCIAL_PROVIDERS[id].firebaseId));
  const getName = (id: string) => {
    if (id === 'password') return t('methods.password');
    return isOrganization(id) ? t('sso') : getMethodName(id);
  };
  const [first, second] = account.methods;
  const isOnlyProvider =
    second === undefined && account.passkeys === 0 && getSocialProviderId(first?.id ?? '') !== null;
  const [showsOthers, setShowsOthers] = useState(false);
  const othersId = useId();
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
      {phase.name === 'done' && <Notice tone="success">{t(`methods.${phase.outcome}`)}</Notice>}
      {'change' in phase && opening === null ? (
        <MethodChange account={account} methods={methods} getName={getName} />
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
                        {id === 'password' ? t('methods.removePassword') : t('methods.unlink', { method: getName(id) })}
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
          <ul id={othersId} className={styles.methods} aria-label={t('methods.others')} hidden={!showsOthers}>
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
