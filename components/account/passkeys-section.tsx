import { Suspense, useEffect, useId, type ComponentType, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { changePasskeys, loadCreation, type PasskeyChange } from '@/lib/browser/passkeys/change';
import { type PasskeyFailure, toPasskeyFailure } from '@/lib/browser/passkeys/failure';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { MAX_PASSKEYS, type Passkey, type PasskeyList, type PasskeySignal } from '@/lib/shared/account/passkeys';
import { type AccountSecurity, canRemovePasskey } from '@/lib/shared/account/security';
import own from './passkeys.module.css';
import styles from './security.module.css';
import { Icon } from '@/components/ui/icons';
import { useDate } from '@/lib/browser/dates';
import { leaveIfSignedOut, type ProofFailure } from '@/lib/browser/account/account-methods';
import { ChangePanel, CreationFailure, useReload } from './change-panel';
import { AccountRow } from './account-row';
import { lazyPart } from './not-loaded';
import { changeRememberedAccount } from '@/lib/browser/auth/sign-in/remembered-accounts';
import { usePublicEnv } from '@/lib/browser/config/context';
import { renamePasskey } from '@/lib/browser/passkeys/ceremony';
import { signalPasskeys } from '@/lib/browser/passkeys/signals';
import { useChange } from './use-change';

type Props = { account: AccountSecurity; list: PasskeyList | 'unavailable' };

/** The account's passkeys. It adds, renames and removes them, but never removes the last usable sign-in method. */
export function PasskeysSection({ account, list }: Props) {
  const { t } = useMessages('security');
  const count = list === 'unavailable' ? null : list.passkeys.length;
  const hook = usePasskeys(account);
  const value = count === 0 ? t('status.noPasskeys') : count === null ? undefined : t('status.passkeys', { count });
  return (
    <section className={styles.block} aria-labelledby="security-passkeys">
      <AccountRow
        id="security-passkeys"
        level="h3"
        label={t('passkeys.heading')}
        value={value}
        headingRef={hook.heading}
      >
        <p className={styles.intro}>{t('passkeys.text')}</p>
        {list === 'unavailable' ? (
          <Notice tone="error">{t('passkeys.unavailable')}</Notice>
        ) : (
          <Passkeys account={account} list={list} hook={hook} />
        )}
      </AccountRow>
    </section>
  );
}

type PasskeysProps = { account: AccountSecurity; list: PasskeyList; hook: Hook };

function Passkeys({ account, list: { passkeys, signal }, hook }: PasskeysProps) {
  const { t } = useMessages('security');
  const { phase } = hook;
  usePasskeySignal(signal);
  const isEmpty = passkeys.length === 0;
  return (
    <>
      <LateNotice>
        {phase.name === 'done'
          ? t(`passkeys.${phase.outcome}`, { passkey: phase.passkey })
          : phase.name === 'entering' && phase.change.kind === 'add' && t('passkeys.toName')}
      </LateNotice>
      {phase.name === 'failed' && phase.change.kind !== 'add' && <PasskeyFailureNotice failure="passkey-unknown" />}
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
            <span>{t('passkeys.emptyText')}</span>
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

const loadPanels = () => import('./passkey-panels');
const preloadPanels = () => void loadPanels().catch(() => undefined);
const lazyPanel = <P extends { onCancel: () => void }>(
  pick: (panels: Awaited<ReturnType<typeof loadPanels>>) => ComponentType<P>,
) => lazyPart(async () => ({ default: pick(await loadPanels()) }), PanelNotLoaded);
const AddPasskeyPanel = lazyPanel((panels) => panels.AddPasskeyPanel);
const RemovePasskeyPanel = lazyPanel((panels) => panels.RemovePasskeyPanel);
const RenamePasskeyForm = lazyPanel((panels) => panels.RenamePasskeyForm);

type NotLoadedProps = { onCancel: () => void; failures: number; children: ReactNode };

function PanelNotLoaded({ onCancel, failures, children }: NotLoadedProps) {
  const { t } = useMessages('security');
  return (
    <ChangePanel stage={`broken ${failures}`} text={t('common:form.broken')} onCancel={onCancel}>
      {children}
    </ChangePanel>
  );
}

type Hook = ReturnType<typeof usePasskeys>;
type AdditionProps = { account: AccountSecurity; hook: Hook; isFull: boolean };

function Addition({ account, hook, isFull }: AdditionProps) {
  const { t } = useMessages('security');
  const hasMeans = useClientValue(hasPasskeyMeans, true);
  const { phase } = hook;
  if (!hasMeans) return <p className={styles.soft}>{t('passkeys.noMeans')}</p>;
  if (isFull) return <p className={styles.soft}>{t('passkeys.full', { count: MAX_PASSKEYS })}</p>;
  const change = { kind: 'add' } as const;
  if ((phase.name === 'proving' || phase.name === 'proved') && phase.change.kind === 'add')
    return (
      <Suspense>
        <AddPasskeyPanel account={account} hook={hook} onCancel={hook.cancel} />
      </Suspense>
    );
  const preload = () => void loadCreation().catch(() => undefined);
  return (
    <>
      {phase.name === 'failed' && phase.change.kind === 'add' && (
        <CreationFailure email={account.email} failure={phase.failure} />
      )}
      <Button
        kind="secondary"
        {...hook.getButton(change)}
        busyLabel={t('proof.working')}
        onPointerEnter={preload}
        onFocus={preload}
      >
        {t('passkeys.add')}
      </Button>
    </>
  );
}

type ItemProps = { account: AccountSecurity; passkey: Passkey; hook: Hook };

/** A passkey of the list, with the form or panel of its change. */
function PasskeyItem({ account, passkey, hook }: ItemProps) {
  const { t } = useMessages('security');
  const nameId = useId();
  const { id, provider, isSuspect } = passkey;
  const { phase } = hook;
  const name = passkey.name ?? provider ?? t('passkeys.unnamed');
  const left = { methods: account.methods, passkeys: Math.max(0, account.passkeys - (isSuspect ? 0 : 1)) };
  if (phase.name === 'entering' && phase.id === id) {
    const isNew = phase.change.kind === 'add';
    return (
      <li className={own.passkey}>
        <Suspense>
          <RenamePasskeyForm
            name={name}
            isNew={isNew}
            onName={(next) => hook.rename(id, next)}
            onCancel={isNew ? hook.keepName : hook.cancel}
          />
        </Suspense>
      </li>
    );
  }
  return (
    <li className={own.passkey}>
      <bdi id={nameId} className={own.name}>
        {name}
      </bdi>
      <Details passkey={passkey} />
      {isSuspect && (
        <p className={own.warning}>
          <Icon glyph="alert" />
          <span>{t('passkeys.suspect')}</span>
        </p>
      )}
      {(phase.name === 'asking' || phase.name === 'proving') &&
      phase.change.kind === 'remove' &&
      phase.change.id === id ? (
        <div className={own.panel}>
          <Suspense>
            <RemovePasskeyPanel
              account={account}
              left={left}
              passkey={phase.change.name}
              hook={hook}
              onCancel={hook.cancel}
            />
          </Suspense>
        </div>
      ) : (
        <div className={styles.buttons}>
          <Button
            kind="quiet"
            {...hook.getButton({ kind: 'rename', id })}
            aria-describedby={nameId}
            onPointerEnter={preloadPanels}
            onFocus={preloadPanels}
          >
            {t('passkeys.rename')}
          </Button>
          {canRemovePasskey(left) ? (
            <Button
              kind="quiet"
              {...hook.getButton({ kind: 'remove', id, name })}
              aria-describedby={nameId}
              onPointerEnter={preloadPanels}
              onFocus={preloadPanels}
            >
              {t('passkeys.remove')}
            </Button>
          ) : (
            <span className={styles.soft}>{t('methods.last')}</span>
          )}
        </div>
      )}
    </li>
  );
}

function Details({ passkey: { name, provider, isSynced, createdAt, lastUsedAt } }: { passkey: Passkey }) {
  const { t } = useMessages('security');
  const created = useDate(createdAt);
  const used = useDate(lastUsedAt ?? createdAt);
  return (
    <>
      {name !== null && provider !== null && <span className={styles.soft}>{provider}</span>}
      <span className={styles.soft}>{isSynced ? t('passkeys.synced') : t('passkeys.single')}</span>
      <span className={own.dates}>
        <span>{t('passkeys.created', { date: created })}</span>
        <span>{lastUsedAt === null ? t('passkeys.unused') : t('passkeys.lastUsed', { date: used })}</span>
      </span>
    </>
  );
}

type Change = PasskeyChange | { kind: 'rename'; id: string };
type Result = { outcome: 'added' | 'renamed' | 'removed'; passkey: string };

/** Failures that mean that the page's list is probably stale. */
const STALE: readonly PasskeyFailure[] = ['last-method', 'passkey-exists', 'passkey-limit', 'passkey-unknown'];

/** Adds, renames and removes passkeys of the signed-in user. */
function usePasskeys(account: AccountSecurity) {
  const env = usePublicEnv();
  const reload = useReload();
  /** @returns whether the page is being left because the session has ended */
  const followFailure = async (failure: PasskeyFailure) => {
    if (STALE.includes(failure)) await reload();
    if (failure !== 'unknown') return false;
    return leaveIfSignedOut(account.email);
  };

  const hook = useChange<Change, ProofFailure, { id: string }, Result>(async (change, at, { signal }) => {
    // The id of the passkey to name.
    if (change.kind === 'rename') return { name: 'entering', id: change.id };
    if (change.kind === 'remove' && at === 'opening') return { name: 'asking' };
    if (change.kind === 'add' && at === 'proving') return { name: 'proved' };
    const isProved = at === 'proving' || at === 'proved';
    const outcome = await changePasskeys(env, change, isProved, signal);
    if (!('failure' in outcome)) {
      // Reload even after Cancel, because the server has already made the change.
      await reload();
      if (change.kind === 'add') return { name: 'entering', id: outcome.id };
      // This device may have no passkey of the account now, so the remembered method changes.
      const [other] = account.methods;
      if (account.passkeys === 1 && account.email !== null && other)
        changeRememberedAccount(account.email, { method: other.id });
      return { name: 'done', outcome: 'removed', passkey: change.name };
    }
    const { failure } = outcome;
    if (failure === 'recent-login-required') {
      // A second factor may have been turned on after the page was loaded.
      if (isProved) await reload();
      return { name: 'proving', failure: isProved ? failure : undefined };
    }
    if (signal.aborted || (await followFailure(failure))) return null;
    if (change.kind === 'add') return { name: isProved ? 'proved' : 'failed', failure };
    // The reloaded list has no such passkey, and so no place for the question.
    return { name: failure === 'passkey-unknown' ? 'failed' : 'asking', failure };
  });

  const rename = async (id: string, name: string): Promise<PasskeyFailure | null> => {
    const { show } = hook.startAttempt({ type: 'press' });
    const result = await renamePasskey(id, name);
    if (result.ok) {
      await reload();
      show({ name: 'done', outcome: 'renamed', passkey: name });
      return null;
    }
    const failure = toPasskeyFailure(result);
    await followFailure(failure);
    return failure;
  };

  return {
    ...hook,
    rename,
    /** Keep the name that the server has given to a new passkey. */
    keepName: () => hook.startAttempt({ type: 'press' }).show({ name: 'done', outcome: 'added', passkey: '' }),
  };
}

/** Sends the account's passkeys to the browser's password managers, once for each list from the server. */
function usePasskeySignal(signal: PasskeySignal | null): void {
  const list = JSON.stringify(signal);
  useEffect(() => void signalPasskeys(JSON.parse(list) as PasskeySignal | null), [list]);
}
