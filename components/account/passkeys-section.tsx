import { Suspense, useEffect, useId, type ComponentType, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { changePasskeys, loadCreation, type PasskeyChange } from '@/lib/browser/passkeys/change';
import { PASSKEY_FAILURES, type PasskeyFailure, toPasskeyFailure } from '@/lib/browser/passkeys/failure';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { MAX_PASSKEYS, type Passkey, type PasskeyList, type PasskeySignal } from '@/lib/shared/account/passkeys';
import { type AccountSecurity, canRemovePasskey } from '@/lib/shared/account/security';
import own from './passkeys.module.css';
import styles from './security.module.css';
import { Icon } from '@/components/ui/icons';
import { useDate } from '@/lib/browser/dates';
import { leaveIfSignedOut, type AccountProof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { ChangePanel, CreationFailure, useConfirmedChange, useReload, useReturnOfFocus } from './change-panel';
import { AccountRow } from './account-row';
import { lazyPart } from './not-loaded';
import { changeRememberedAccount } from '@/lib/browser/auth/sign-in/remembered-accounts';
import { usePublicEnv } from '@/lib/browser/config/context';
import { renamePasskey } from '@/lib/browser/passkeys/ceremony';
import { signalPasskeys } from '@/lib/browser/passkeys/signals';

type Props = { account: AccountSecurity; list: PasskeyList | 'unavailable' };

/** The account's passkeys. It adds, renames and removes them, but never removes the last usable sign-in method. */
export function PasskeysSection({ account, list }: Props) {
  const { t } = useMessages('security');
  const count = list === 'unavailable' ? null : list.passkeys.length;
  const value = count === 0 ? t('status.noPasskeys') : count === null ? undefined : t('status.passkeys', { count });
  return (
    <section className={styles.block} aria-labelledby="security-passkeys">
      <AccountRow id="security-passkeys" level="h3" label={t('passkeys.heading')} value={value}>
        <p className={styles.intro}>{t('passkeys.text')}</p>
        {list === 'unavailable' ? (
          <Notice tone="error">{t('passkeys.unavailable')}</Notice>
        ) : (
          <Passkeys account={account} list={list} />
        )}
      </AccountRow>
    </section>
  );
}

function Passkeys({ account, list: { passkeys, signal } }: { account: AccountSecurity; list: PasskeyList }) {
  const { t } = useMessages('security');
  const hook = usePasskeys(account);
  const { phase } = hook;
  usePasskeySignal(signal);
  useReturnOfFocus(phase, 'security-passkeys', getButton);
  const isEmpty = passkeys.length === 0;
  const lost = getFailureWithoutItem(phase, passkeys);
  return (
    <>
      <LateNotice>
        {phase.name === 'done'
          ? t(`passkeys.${phase.outcome}`, { passkey: phase.passkey })
          : phase.name === 'renaming' && phase.isNew && t('passkeys.toName')}
      </LateNotice>
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
  const { phase, add } = hook;
  if (!hasMeans) return <p className={styles.soft}>{t('passkeys.noMeans')}</p>;
  if (isFull) return <p className={styles.soft}>{t('passkeys.full', { count: MAX_PASSKEYS })}</p>;
  const adding = 'change' in phase && phase.change.kind === 'add' ? phase : null;
  if (adding !== null && adding.name !== 'asking' && adding.name !== 'working')
    return (
      <Suspense>
        <AddPasskeyPanel
          account={account}
          phase={adding}
          onProof={(proof) => hook.prove(adding.change, proof)}
          onContinue={() => hook.apply(adding.change, true)}
          onCancel={hook.cancel}
        />
      </Suspense>
    );
  const preload = () => void loadCreation().catch(() => undefined);
  return (
    <>
      {adding?.failure && <CreationFailure email={account.email} failure={adding.failure} />}
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

/** Returns the failed removal of a passkey that is no longer in the list. */
function getFailureWithoutItem(phase: PasskeysPhase, passkeys: Passkey[]) {
  if (phase.name !== 'asking' || phase.change.kind !== 'remove') return null;
  const { change, failure } = phase;
  const isListed = passkeys.some(({ id }) => id === change.id);
  return PASSKEY_FAILURES.find((code) => !isListed && code === failure) ?? null;
}

/** Returns the button that began a change. */
function getButton(over: PasskeysPhase): string | null {
  if (over.name === 'renaming') return `[data-passkey="rename ${CSS.escape(over.id)}"]`;
  if (!('change' in over)) return null;
  return over.change.kind === 'add' ? '[data-passkey="add"]' : `[data-passkey="remove ${CSS.escape(over.change.id)}"]`;
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
  const renaming = phase.name === 'renaming' && phase.id === id ? phase : null;
  const removing =
    'change' in phase && phase.change.kind === 'remove' && phase.change.id === id
      ? { ...phase, change: phase.change }
      : null;
  if (renaming !== null)
    return (
      <li className={own.passkey}>
        <Suspense>
          <RenamePasskeyForm
            name={name}
            isNew={renaming.isNew}
            onName={(next) => hook.rename(id, next)}
            onCancel={renaming.isNew ? hook.keepName : hook.cancel}
          />
        </Suspense>
      </li>
    );
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
      {removing !== null ? (
        <div className={own.panel}>
          <Suspense>
            <RemovePasskeyPanel
              account={account}
              left={left}
              phase={removing}
              onProof={(proof) => hook.prove(removing.change, proof)}
              onConfirm={() => hook.apply(removing.change, false)}
              onCancel={hook.cancel}
            />
          </Suspense>
        </div>
      ) : (
        <div className={styles.buttons}>
          <Button
            kind="quiet"
            data-passkey={`rename ${id}`}
            aria-describedby={nameId}
            onPointerEnter={preloadPanels}
            onFocus={preloadPanels}
            onClick={() => hook.beginRename(id)}
          >
            {t('passkeys.rename')}
          </Button>
          {canRemovePasskey(left) ? (
            <Button
              kind="quiet"
              data-passkey={`remove ${id}`}
              aria-describedby={nameId}
              onPointerEnter={preloadPanels}
              onFocus={preloadPanels}
              onClick={() => hook.askToRemove({ id, name })}
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

type Outcome = 'added' | 'renamed' | 'removed';

/**
 * With a recent session: idle → (remove: asking →) working → (add: renaming →) done. With an older session: working →
 * proving → checking → (add: proved →) finishing → done. A failure returns to asking, proving or proved.
 */
type PasskeysPhase = ReturnType<typeof usePasskeys>['phase'];
type Rest =
  | { name: 'idle' }
  /** `isNew`: the passkey was just added. */
  | { name: 'renaming'; id: string; isNew: boolean }
  | { name: 'done'; outcome: Outcome; passkey: string }
  | { name: 'asking' | 'working' | 'proved' | 'finishing'; change: PasskeyChange; failure?: ProofFailure };

/** Failures that mean that the page's list is probably stale. */
const STALE: readonly PasskeyFailure[] = ['last-method', 'passkey-exists', 'passkey-limit', 'passkey-unknown'];

/** Adds, renames and removes passkeys of the signed-in user. */
function usePasskeys(account: AccountSecurity) {
  const env = usePublicEnv();
  const reload = useReload();
  const { phase, startAttempt, confirm, cancel } = useConfirmedChange<PasskeyChange, Rest>(account, { name: 'idle' });

  /** @returns whether the page is being left because the session has ended */
  const followFailure = async (failure: PasskeyFailure) => {
    if (STALE.includes(failure)) await reload();
    if (failure !== 'unknown') return false;
    return leaveIfSignedOut(account.email);
  };

  /** @returns why the proof was not sufficient, for its form */
  const apply = async (change: PasskeyChange, isProved: boolean): Promise<PasskeyFailure | null> => {
    const { show, signal } = startAttempt();
    show({ name: isProved ? 'finishing' : 'working', change });
    const outcome = await changePasskeys(env, change, isProved, signal);
    if (!('failure' in outcome)) {
      // Reload even after Cancel, because the server has already made the change.
      await reload();
      if (change.kind === 'add') {
        show({ name: 'renaming', id: outcome.id, isNew: true });
        return null;
      }
      // This device may have no passkey of the account now, so the remembered method changes.
      const [other] = account.methods;
      if (account.passkeys === 1 && account.email !== null && other)
        changeRememberedAccount(account.email, { method: other.id });
      show({ name: 'done', outcome: 'removed', passkey: change.name });
      return null;
    }
    const { failure } = outcome;
    if (failure === 'recent-login-required') {
      // A second factor may have been turned on after the page was loaded.
      if (isProved) await reload();
      show({ name: 'proving', change, ...(isProved && { failure }) });
      return failure;
    }
    if (signal.aborted || (await followFailure(failure))) return null;
    show({ name: isProved && change.kind === 'add' ? 'proved' : 'asking', change, failure });
    return null;
  };

  const prove = (change: PasskeyChange, proof: AccountProof) =>
    confirm(change, proof, async ({ show }) => {
      if (change.kind === 'remove') return apply(change, true);
      show({ name: 'proved', change });
      return null;
    });

  const rename = async (id: string, name: string): Promise<PasskeyFailure | null> => {
    const { show } = startAttempt();
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
    phase,
    add: () => void apply({ kind: 'add' }, false),
    askToRemove: (passkey: { id: string; name: string }) =>
      startAttempt().show({ name: 'asking', change: { kind: 'remove', ...passkey } }),
    apply: (change: PasskeyChange, isProved: boolean) => void apply(change, isProved),
    prove,
    beginRename: (id: string) => startAttempt().show({ name: 'renaming', id, isNew: false }),
    rename,
    cancel,
    /** Keep the name that the server has given to a new passkey. */
    keepName: () => startAttempt().show({ name: 'done', outcome: 'added', passkey: '' }),
  };
}

/** Sends the account's passkeys to the browser's password managers, once for each list from the server. */
function usePasskeySignal(signal: PasskeySignal | null): void {
  const list = JSON.stringify(signal);
  useEffect(() => void signalPasskeys(JSON.parse(list) as PasskeySignal | null), [list]);
}
