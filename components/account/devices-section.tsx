import { useId, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { requestEndOfSessions, endSessionsWithProof, type EndResult } from '@/lib/browser/account/account-data';
import { displayMoment, displayRecent, useDate } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity, DeviceSession, SessionsToEnd } from '@/lib/shared/account/security';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { usePublicEnv } from '@/lib/browser/config/context';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import { AccountRow } from './account-row';
import { AccountIcon, useNames } from './security-parts';
import { useReload } from './change-panel';
import { ProofPanel } from './proof-form';
import own from './devices.module.css';
import styles from './security.module.css';
import { useChange } from './use-change';

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
  const hook = useDevices(account);
  return (
    <section className={styles.fold} aria-labelledby="security-devices">
      <AccountRow
        id="security-devices"
        level="h2"
        label={devices === null ? t('parts.sign-out') : t('devices.heading')}
        value={Array.isArray(devices) ? t('status.devices', { count: devices.length }) : undefined}
        headingRef={hook.heading}
      >
        <div className={styles.card}>
          {devices !== null && (
            <div className={styles.block}>
              <p className={styles.intro}>{t('devices.text')}</p>
              {devices === 'unavailable' ? (
                <Notice tone="error">{t('devices.unavailable')}</Notice>
              ) : (
                <Devices account={account} devices={devices} hook={hook} />
              )}
            </div>
          )}
          {children}
        </div>
      </AccountRow>
    </section>
  );
}

type DevicesProps = { account: AccountSecurity; devices: DeviceSession[]; hook: ReturnType<typeof useDevices> };

function Devices({ account, devices, hook }: DevicesProps) {
  const { t } = useMessages('security');
  const { phase } = hook;
  const others = devices.filter(({ isCurrent }) => !isCurrent);
  const isEnding = phase.name === 'opening';
  if (phase.name === 'proving') {
    const { name: device } = phase.change;
    const isOne = 'session' in phase.change;
    return (
      <ProofPanel
        account={account}
        hook={hook}
        text={isOne ? t('devices.toSignOut', { device }) : t('devices.toSignOutOthers')}
        deed={{ label: isOne ? t('devices.signOut', { device }) : t('devices.signOutOthers'), kind: 'primary' }}
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
          <Device key={device.id} device={device} hook={hook} />
        ))}
      </ul>
      {others.length === 0 && <p className={styles.soft}>{t('devices.none')}</p>}
      {others.length > 1 && (
        <Button
          kind="secondary"
          {...hook.getButton({ others: true, name: '' })}
          inactive={isEnding}
          busyLabel={t('proof.working')}
        >
          {t('devices.signOutOthers')}
        </Button>
      )}
    </>
  );
}

type DeviceProps = { device: DeviceSession; hook: DevicesProps['hook'] };

function Device({ device, hook }: DeviceProps) {
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
            {...hook.getButton({ session: id, name })}
            aria-describedby={lastId}
            inactive={hook.phase.name === 'opening'}
            busyLabel={t('proof.working')}
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

/** Signs out other sessions of the account. A session older than 5 minutes needs a proof first. */
function useDevices(account: AccountSecurity) {
  const env = usePublicEnv();
  const reload = useReload();
  return useChange<Target, EndResult>(async (change, at) => {
    const isProved = at === 'proving';
    const end = isProved ? endSessionsWithProof : requestEndOfSessions;
    const result = await end(env, toRequest(change));
    if (result === 'signed-out') {
      carriedEmail.set(account.email ?? '');
      window.location.assign(pathWithReturn('security', 'AutoSignOut'));
      return null;
    }
    // The page may be stale after a failure, or have no second factor that was turned on after it was loaded. While the
    // database is unavailable, reloading the page would lose the list.
    if (result !== 'unavailable' && (isProved || result !== 'proof-required')) await reload();
    if (result === 'done') return { name: 'done' };
    if (result !== 'proof-required') return { name: 'failed', failure: result };
    return { name: 'proving', failure: isProved ? 'auth/requires-recent-login' : undefined };
  });
}

function toRequest(target: Target): SessionsToEnd {
  return 'session' in target ? { session: target.session } : { others: true };
}
