import { useEffect, useRef } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { loadCreation } from '@/lib/browser/passkeys/change';
import { PASSKEY_FAILURES } from '@/lib/browser/passkeys/failure';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { MAX_PASSKEYS, type Passkey, type PasskeyList } from '@/lib/shared/account/passkeys';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { PasskeyItem } from './passkey-item';
import { AddPanel, CreationFailure } from './passkey-panels';
import own from './passkeys.module.css';
import styles from './security.module.css';
import { usePasskeys, usePasskeySignal, type PasskeysPhase } from './use-passkeys';

type Props = { account: AccountSecurity; list: PasskeyList | 'unavailable' };

/** The account's passkeys: adds, renames and removes them, but never the last one with which the owner can sign in. */
export function PasskeysSection({ account, list }: Props) {
  const { t } = useMessages('security');
  return (
    <section className={styles.block} aria-labelledby="security-passkeys">
      <h3 id="security-passkeys" tabIndex={-1}>
        {t('passkeys.heading')}
      </h3>
      <p className={styles.intro}>{t('passkeys.text')}</p>
      {list === 'unavailable' ? (
        <Notice tone="error">{t('passkeys.unavailable')}</Notice>
      ) : (
        <Passkeys account={account} list={list} />
      )}
    </section>
  );
}

function Passkeys({ account, list: { passkeys, signal } }: { account: AccountSecurity; list: PasskeyList }) {
  const { t } = useMessages('security');
  const hook = usePasskeys(account);
  const { phase } = hook;
  usePasskeySignal(signal);
  useReturnOfFocus(phase);
  const isEmpty = passkeys.length === 0;
  const lost = getFailureWithoutItem(phase, passkeys);
  return (
    <>
      {phase.name === 'done' && (
        <Notice tone="success">{t(`passkeys.${phase.outcome}`, { passkey: phase.passkey })}</Notice>
      )}
      {phase.name === 'renaming' && phase.isNew && <Notice tone="success">{t('passkeys.toName')}</Notice>}
      {lost && <PasskeyFailureNotice failure={lost} />}
      {!isEmpty && (
        <ul className={styles.methods} aria-labelledby="security-passkeys">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} account={account} passkey={passkey} hook={hook} />
          ))}
        </ul>
      )}
      {isEmpty ? (
        <div className={own.empty}>
          <p>
            <strong>{t('passkeys.empty')}</strong>
            <br />
            {t('passkeys.emptyText')}
          </p>
          <Addition account={account} hook={hook} isFull={false} />
        </div>
      ) : (
        <>
          {passkeys.length === 1 && <p>{t('passkeys.onlyOne')}</p>}
          <Addition account={account} hook={hook} isFull={passkeys.length >= MAX_PASSKEYS} />
        </>
      )}
    </>
  );
}

type AdditionProps = { account: AccountSecurity; hook: ReturnType<typeof usePasskeys>; isFull: boolean };

function Addition({ account, hook, isFull }: AdditionProps) {
  const { t } = useMessages('security');
  const hasMeans = useClientValue(hasPasskeyMeans, true);
  const { phase, add } = hook;
  if (!hasMeans) return <p className={styles.soft}>{t('passkeys.noMeans')}</p>;
  if (isFull) return <p className={styles.soft}>{t('passkeys.full', { count: MAX_PASSKEYS })}</p>;
  const adding = 'change' in phase && phase.change.kind === 'add' ? phase : null;
  if (adding !== null && adding.name !== 'asking' && adding.name !== 'working')
    return <AddPanel account={account} hook={hook} phase={adding} />;
  const preload = () => void loadCreation().catch(() => undefined);
  return (
    <>
      {adding?.failure && <CreationFailure account={account} failure={adding.failure} />}
      <Button
        kind="secondary"
        data-passkey="add"
        busy={adding?.name === 'working'}
        busyLabel={t('proof.working')}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={add}
      >
        {t('passkeys.add')}
      </Button>
    </>
  );
}

/** The failed removal of a passkey that the list does not have any more. */
function getFailureWithoutItem(phase: PasskeysPhase, passkeys: Passkey[]) {
  if (phase.name !== 'asking' || phase.change.kind !== 'remove') return null;
  const { change, failure } = phase;
  const isListed = passkeys.some(({ id }) => id === change.id);
  return PASSKEY_FAILURES.find((code) => !isListed && code === failure) ?? null;
}

/** Moves focus to the button of a canceled change, or to the section's heading after one that is done. */
function useReturnOfFocus(phase: PasskeysPhase): void {
  const before = useRef<PasskeysPhase>(phase);
  useEffect(() => {
    const { current } = before;
    before.current = phase;
    if (current.name === 'idle' || current.name === 'done') {
      if (phase.name === 'done') focusHeading();
    } else if (phase.name === 'done') focusHeading();
    else if (phase.name === 'idle') document.querySelector<HTMLElement>(getButton(current))?.focus();
  }, [phase]);
}

const focusHeading = () => document.getElementById('security-passkeys')?.focus();

function getButton(phase: Exclude<PasskeysPhase, { name: 'idle' | 'done' }>): string {
  if (phase.name === 'renaming') return `[data-passkey="rename ${CSS.escape(phase.id)}"]`;
  const { change } = phase;
  return change.kind === 'add' ? '[data-passkey="add"]' : `[data-passkey="remove ${CSS.escape(change.id)}"]`;
}
