import { useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { type DataChange, applyDataChange } from '@/lib/browser/account/account-data';
import { useMessages } from '@/lib/browser/use-messages';
import { asksFirst, type DeletionState, type AccountSecurity } from '@/lib/shared/account/security';
import { keepPending, takePending } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { isOver } from './change';
import { ChangePanel } from './change-panel';
import { AccountRow } from './account-row';
import { ProofPanel } from './proof-form';
import styles from './security.module.css';
import { getStepBefore, useChange } from './use-change';

type Props = { account: AccountSecurity; deletion: Exclude<DeletionState, null> };

/** Downloads the data that this product has about the account, or deletes the account (docs/product.md#screens). */
export function DataSection({ account, deletion }: Props) {
  const { t } = useMessages('security');
  const isScheduled = deletion !== 'unavailable' && deletion.effectiveAt !== null;
  const hook = useData(account, isScheduled);
  const { phase, begin } = hook;
  const opening = phase.name === 'opening' ? phase.change : null;
  const getFacts = () => [t('data.goes'), t('data.grace'), t('data.signedOut'), t('data.platform')];
  return (
    <section className={styles.fold} aria-labelledby="security-data">
      <AccountRow
        id="security-data"
        level="h2"
        label={t('data.heading')}
        value={t('data.row')}
        repeats
        headingRef={hook.heading}
      >
        <div className={styles.card}>
          <div className={styles.block}>
            <p className={styles.intro}>{t('data.text')}</p>
            {deletion === 'unavailable' && <Notice tone="error">{t('data.unavailable')}</Notice>}
            <LateNotice>{phase.name === 'done' && t('data.downloaded')}</LateNotice>
            {isScheduled && <p className={styles.soft}>{t('data.scheduledHere')}</p>}
            {phase.name === 'asking' && (
              <ChangePanel stage="ask" text={t('data.ask')} facts={getFacts()} onCancel={hook.cancel}>
                <Button kind="danger" busy={phase.isBusy} busyLabel={t('proof.working')} onClick={hook.press}>
                  {t('data.delete')}
                </Button>
              </ChangePanel>
            )}
            {phase.name === 'proving' && (
              <ProofPanel
                account={account}
                hook={hook}
                text={t(`data.${phase.change}Proof`)}
                // Without a password, the step before has shown them.
                facts={phase.change === 'delete' && !asksFirst(account) ? getFacts() : undefined}
                deed={phase.change === 'delete' ? { label: t('data.delete'), kind: 'danger' } : undefined}
                keepChange={() => keepPending(PENDING, account.uid, phase.change)}
              />
            )}
            {(opening !== null || isOver(phase)) && (
              <div className={styles.choices}>
                <Button
                  kind="secondary"
                  busy={opening === 'download'}
                  inactive={opening === 'delete'}
                  busyLabel={t('proof.working')}
                  onClick={() => begin('download')}
                >
                  {t('data.download')}
                </Button>
                {!isScheduled && (
                  <Button
                    kind="danger-secondary"
                    busy={opening === 'delete'}
                    inactive={opening === 'download'}
                    busyLabel={t('proof.working')}
                    onClick={() => begin('delete')}
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

/** Downloads the account's data, or schedules its deletion. Each requires a recent authentication. */
function useData(account: AccountSecurity, isScheduled: boolean) {
  const env = usePublicEnv();
  const hook = useChange<DataChange>(async (change, at, { signal }) => {
    const before = await getStepBefore(env, account, at, change === 'delete');
    if (before || signal.aborted) return before;
    const failure = await applyDataChange(env, change);
    if (failure !== null) return { name: 'proving', failure };
    // After a requested deletion, the button stays busy until the next page.
    return change === 'download' ? { name: 'done' } : null;
  });
  useEffect(() => {
    const interrupted = takePending(PENDING, account.uid);
    if (interrupted === 'download' || (interrupted === 'delete' && !isScheduled)) hook.begin(interrupted);
    // Runs once, on page load.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return hook;
}
