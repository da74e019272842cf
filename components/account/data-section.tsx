import { useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { type DataChange, applyDataChange } from '@/lib/browser/account/account-data';
import { useMessages } from '@/lib/browser/use-messages';
import { asksFirst, type DeletionState, type AccountSecurity } from '@/lib/shared/account/security';
import { hasRecentProof, keepPending, takePending, type AccountProof } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { ChangePanel, useConfirmedChange, useFocusAfterPanel } from './change-panel';
import { AccountRow } from './account-row';
import { ProofPanel } from './proof-form';
import styles from './security.module.css';

type Props = { account: AccountSecurity; deletion: Exclude<DeletionState, null> };

/** Downloads the data that this product has about the account, or deletes the account (docs/product.md#screens). */
export function DataSection({ account, deletion }: Props) {
  const { t } = useMessages('security');
  const isScheduled = deletion !== 'unavailable' && deletion.effectiveAt !== null;
  const { phase, begin, goOn, cancel, prove } = useData(account, isScheduled);
  const isGoingOn = phase.name === 'goingOn';
  const opening = phase.name === 'opening' ? phase.change : null;
  const section = useFocusAfterPanel<HTMLElement>('change' in phase && opening === null, 'h2');
  const getFacts = () => [t('data.goes'), t('data.grace'), t('data.signedOut'), t('data.platform')];
  return (
    <section className={styles.fold} aria-labelledby="security-data" ref={section}>
      <AccountRow id="security-data" level="h2" label={t('data.heading')} value={t('data.row')} repeats>
        <div className={styles.card}>
          <div className={styles.block}>
            <p className={styles.intro}>{t('data.text')}</p>
            {deletion === 'unavailable' && <Notice tone="error">{t('data.unavailable')}</Notice>}
            <LateNotice>{phase.name === 'downloaded' && t('data.downloaded')}</LateNotice>
            {isScheduled && <p className={styles.soft}>{t('data.scheduledHere')}</p>}
            {(phase.name === 'asking' || isGoingOn) && (
              <ChangePanel stage="ask" text={t('data.ask')} facts={getFacts()} onCancel={cancel}>
                <Button
                  kind="danger"
                  busy={isGoingOn}
                  busyLabel={t('proof.working')}
                  onClick={() => void goOn(phase.change)}
                >
                  {t('data.delete')}
                </Button>
              </ChangePanel>
            )}
            {(phase.name === 'proving' || phase.name === 'checking' || phase.name === 'working') && (
              <ProofPanel
                account={account}
                phase={phase}
                text={t(`data.${phase.change}Proof`)}
                // Without a password, the step before has shown them.
                facts={phase.change === 'delete' && !asksFirst(account) ? getFacts() : undefined}
                deed={phase.change === 'delete' ? { label: t('data.delete'), kind: 'danger' } : undefined}
                keepChange={() => keepPending(PENDING, account.uid, phase.change)}
                onProof={(proof) => prove(phase.change, proof)}
                onCancel={cancel}
              />
            )}
            {(opening !== null || !('change' in phase)) && (
              <div className={styles.choices}>
                <Button
                  kind="secondary"
                  busy={opening === 'download'}
                  inactive={opening === 'delete'}
                  busyLabel={t('proof.working')}
                  onClick={() => void begin('download')}
                >
                  {t('data.download')}
                </Button>
                {!isScheduled && (
                  <Button
                    kind="danger-secondary"
                    busy={opening === 'delete'}
                    inactive={opening === 'download'}
                    busyLabel={t('proof.working')}
                    onClick={() => void begin('delete')}
                  >
                    {t('data.delete')}
                  </Button>
                )}
              </div>
            )}
          </div>
        </div>
      </AccountRow>
    </section>
  );
}

const PENDING = 'pending-data-change';

/**
 * idle → opening → (asking → goingOn →) proving → checking → working → done, or back to proving with a failure. After a
 * recent sign-in by email, `opening` and `goingOn` lead to the end.
 */
type Rest =
  | { name: 'idle' | 'downloaded' }
  | { name: 'opening' | 'asking' | 'goingOn' | 'working'; change: DataChange };

/** Downloads the account's data, or schedules its deletion. Each requires a recent authentication. */
function useData(account: AccountSecurity, isScheduled: boolean) {
  const env = usePublicEnv();
  const { phase, startAttempt, confirm, cancel } = useConfirmedChange<DataChange, Rest>(account, { name: 'idle' });

  const apply = async (change: DataChange, { show }: Pick<ReturnType<typeof startAttempt>, 'show'>) => {
    const failure = await applyDataChange(env, change);
    if (failure !== null) show({ name: 'proving', change, failure });
    // After a requested deletion, the button stays busy until the next page.
    else if (change === 'download') show({ name: 'downloaded' });
    return failure;
  };
  const prove = (change: DataChange, proof: AccountProof) =>
    confirm(change, proof, (attempt) => {
      attempt.show({ name: 'working', change });
      return apply(change, attempt);
    });

  const begin = async (change: DataChange) => {
    const attempt = startAttempt();
    if (change === 'delete' && asksFirst(account)) return attempt.show({ name: 'asking', change });
    if (!attempt.show({ name: 'opening', change })) return;
    const isProved = await hasRecentProof(env, account);
    if (attempt.signal.aborted) return;
    if (!isProved) attempt.show({ name: 'proving', change });
    else if (change === 'delete') attempt.show({ name: 'asking', change });
    else await apply(change, attempt);
  };
  const goOn = async (change: DataChange) => {
    const attempt = startAttempt();
    attempt.show({ name: 'goingOn', change });
    const isProved = await hasRecentProof(env, account);
    if (attempt.signal.aborted) return;
    if (isProved) await apply(change, attempt);
    else attempt.show({ name: 'proving', change });
  };
  useEffect(() => {
    const interrupted = takePending(PENDING, account.uid);
    if (interrupted === 'download' || (interrupted === 'delete' && !isScheduled)) void begin(interrupted);
    // Runs once, on page load.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return { phase, begin, goOn, cancel, prove };
}
