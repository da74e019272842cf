import { useId, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { requestEndOfSessions, endSessionsWithProof, type EndResult } from '@/lib/browser/account/account-data';
import { displayMoment, displayRecent, useDate } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity, DeviceSession, SessionsToEnd } from '@/lib/shared/account/security';
import type { AccountProof } from '@/lib/browser/account/account-methods';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { usePublicEnv } from '@/lib/browser/config/context';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import { AccountRow } from './account-row';
import { AccountIcon, useNames } from './security-parts';
import { useConfirmedChange, useReload, useReturnOfFocus } from './change-panel';
import { ProofPanel } from './proof-form';
import own from './devices.module.css';
import styles from './security.module.css';

type Props = {
  account: AccountSecurity;
  /** Null if this deployment does not have the sessions. */
  devices: DeviceSession[] | 'unavailable' | null;
  /** The other sign-outs. */
  children: ReactNode;
};

/** Shows where the account is signed in, this device first, and every way to sign out. */
export function DevicesSection({ account, devices, children }: Props) {
  const { t } = useMessages('security');
  return (
    <section className={styles.fold} aria-labelledby="security-devices">
      <AccountRow
        id="security-devices"
        level="h2"
        label={devices === null ? t('parts.sign-out') : t('devices.heading')}
        value={Array.isArray(devices) ? t('status.devices', { count: devices.length }) : undefined}
      >
        <div className={styles.card}>
          {devices !== null && (
            <div className={styles.block}>
              <p className={styles.intro}>{t('devices.text')}</p>
              {devices === 'unavailable' ? (
                <Notice tone="error">{t('devices.unavailable')}</Notice>
              ) : (
                <Devices account={account} devices={devices} />
              )}
            </div>
          )}
          {children}
        </div>
      </AccountRow>
    </section>
  );
}

function Devices({ account, devices }: { account: AccountSecurity; devices: DeviceSession[] }) {
  const { t } = useMessages('security');
  const { phase, end, prove, cancel } = useDevices(account);
  useReturnOfFocus(phase, 'security-devices', (over) => {
    if (!('change' in over)) return null;
    return `[data-device="${'session' in over.change ? CSS.escape(over.change.session) : 'others'}"]`;
  });
  const others = devices.filter(({ isCurrent }) => !isCurrent);
  const ending = phase.name === 'ending' ? phase.change : null;
  if (phase.name === 'proving' || phase.name === 'checking') {
    const { name: device } = phase.change;
    const isOne = 'session' in phase.change;
    return (
      <ProofPanel
        account={account}
        phase={phase}
        text={isOne ? t('devices.toSignOut', { device }) : t('devices.toSignOutOthers')}
        deed={{ label: isOne ? t('devices.signOut', { device }) : t('devices.signOutOthers'), kind: 'primary' }}
        onProof={(proof) => prove(phase.change, proof)}
        onCancel={cancel}
      />
    );
  }
  return (
    <>
      {phase.name === 'failed' && <Notice tone="error">{t('devices.failed')}</Notice>}
      <LateNotice>
        {phase.name === 'done' && (
          <>
            <p>
              {'session' in phase.change
                ? t('devices.signedOut', { device: phase.change.name })
                : t('devices.othersSignedOut')}
            </p>
            {/* Any person who knows the password can sign in again. */}
            {account.methods.some(({ id }) => id === 'password') && (
              <p>
                <PageLink href={paths.changePassword}>{t('devices.notYours')}</PageLink>
              </p>
            )}
          </>
        )}
      </LateNotice>
      <ul className={styles.methods} aria-labelledby="security-devices">
        {devices.map((device) => (
          <Device key={device.id} device={device} ending={ending} end={end} />
        ))}
      </ul>
      {others.length === 0 && <p className={styles.soft}>{t('devices.none')}</p>}
      {others.length > 1 && (
        <Button
          kind="secondary"
          data-device="others"
          busy={ending !== null && 'others' in ending}
          inactive={ending !== null}
          busyLabel={t('proof.working')}
          onClick={() => end({ others: true, name: '' })}
        >
          {t('devices.signOutOthers')}
        </Button>
      )}
    </>
  );
}

type DeviceProps = { device: DeviceSession; ending: Target | null; end: (target: Target) => void };

function Device({ device, ending, end }: DeviceProps) {
  const { t } = useMessages('security');
  const lastId = useId();
  const { id, isCurrent, method } = device;
  const { nameClient, nameMethod } = useNames();
  const name = nameClient(device) ?? t('devices.unknown');
  const last = useDate(device.lastUsed, displayRecent);
  const first = useDate(device.firstUsed);
  const remembered = useDate(device.rememberedUntil ?? device.lastUsed, displayMoment);
  return (
    <li className={own.device}>
      <span className={own.icon}>
        <AccountIcon glyph={isPhone(device) ? 'phone' : 'computer'} />
      </span>
      <div className={own.facts}>
        <span>
          <span className={own.name}>{name}</span>
          {method !== null && <span>{t('devices.by', { method: nameMethod(method) })}</span>}
        </span>
        {isCurrent && <strong className={own.current}>{t('devices.current')}</strong>}
        <span id={lastId} className={styles.soft}>
          {isCurrent ? t('devices.now') : t('devices.lastUsed', { date: last })}
        </span>
        <span className={styles.soft}>{t('devices.firstUsed', { date: first })}</span>
        {device.rememberedUntil !== null && (
          <span className={styles.soft}>{t('devices.remembered', { date: remembered })}</span>
        )}
        {!isCurrent && (
          <Button
            kind="quiet"
            data-device={id}
            aria-describedby={lastId}
            busy={ending !== null && 'session' in ending && ending.session === id}
            inactive={ending !== null}
            busyLabel={t('proof.working')}
            onClick={() => end({ session: id, name })}
          >
            {t('devices.signOut', { device: name })}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Names of systems in the server's spelling. */
const PHONE_SYSTEMS: readonly (string | null)[] = ['Android', 'iOS', 'HarmonyOS', 'Windows Phone', 'KaiOS'];

function isPhone({ system }: DeviceSession): boolean {
  return PHONE_SYSTEMS.includes(system);
}

/** The sessions to sign out, with their name on the page. */
type Target = SessionsToEnd & { name: string };

/** idle → ending → (proving → checking → ending →) done or failed. */
type Proving = { name: 'proving'; change: Target };
type Rest = { name: 'idle' } | { name: 'ending' | 'done' | 'failed'; change: Target };

/** Signs out other sessions of the account. A session older than 5 minutes needs a proof first. */
function useDevices(account: AccountSecurity) {
  const env = usePublicEnv();
  const reload = useReload();
  const { phase, startAttempt, confirm, cancel } = useConfirmedChange<Target, Rest>(account, { name: 'idle' });

  const settle = async (show: (next: Rest | Proving) => boolean, change: Target, result: EndResult) => {
    if (result === 'signed-out') {
      carriedEmail.set(account.email ?? '');
      return window.location.assign(pathWithReturn('security', 'AutoSignOut'));
    }
    if (result === 'proof-required') return show({ name: 'proving', change });
    // Reloading the page while the database is unavailable would lose the list.
    if (result === 'unavailable') return show({ name: 'failed', change });
    // The page may be stale after a failure.
    await reload();
    show({ name: result, change });
  };

  const end = async (change: Target) => {
    const { show } = startAttempt();
    show({ name: 'ending', change });
    await settle(show, change, await requestEndOfSessions(env, toRequest(change)));
  };

  const prove = (change: Target, proof: AccountProof) =>
    confirm(change, proof, async ({ show }) => {
      const result = await endSessionsWithProof(env, toRequest(change));
      if (result !== 'proof-required') {
        await settle(show, change, result);
        return null;
      }
      const failure = 'auth/requires-recent-login';
      // A second factor may have been turned on after the page was loaded.
      await reload();
      show({ name: 'proving', change, failure });
      return failure;
    });

  return { phase, end: (change: Target) => void end(change), prove, cancel };
}

function toRequest(target: Target): SessionsToEnd {
  return 'session' in target ? { session: target.session } : { others: true };
}
