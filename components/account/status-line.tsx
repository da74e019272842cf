import { Icon } from '@/components/ui/icons';
import { useMessages } from '@/lib/browser/use-messages';
import type { DeviceSession } from '@/lib/shared/account/devices';
import type { PasskeyList } from '@/lib/shared/account/passkeys';
import type { SecondFactor } from '@/lib/shared/account/second-factor';
import { AccountIcon } from './account-icon';
import { PartLink } from './security-parts';
import styles from './status-line.module.css';

type Props = {
  secondFactor: SecondFactor | 'unavailable' | null;
  passkeys: PasskeyList | 'unavailable' | null;
  devices: DeviceSession[] | 'unavailable' | null;
};

/** How the account is secured, at a glance; each item leads to its part. */
export function StatusLine({ secondFactor, passkeys, devices }: Props) {
  const { t } = useMessages('security');
  const isOn = typeof secondFactor === 'object' && secondFactor !== null && secondFactor.apps.length > 0;
  return (
    <ul className={styles.status} aria-label={t('status.label')}>
      {typeof secondFactor === 'object' && secondFactor !== null && (
        <li>
          <PartLink part="two-step-verification">
            {isOn ? <Icon glyph="check" /> : <AccountIcon glyph="lock" />}
            {isOn ? t('status.twoStepOn') : t('status.twoStepOff')}
          </PartLink>
        </li>
      )}
      {typeof passkeys === 'object' && passkeys !== null && (
        <li>
          <PartLink part="sign-in" heading="security-passkeys">
            <Icon glyph="passkey" />
            {passkeys.passkeys.length === 0
              ? t('status.noPasskeys')
              : t('status.passkeys', { count: passkeys.passkeys.length })}
          </PartLink>
        </li>
      )}
      {Array.isArray(devices) && (
        <li>
          <PartLink part="devices">
            <AccountIcon glyph="computer" />
            {t('status.devices', { count: devices.length })}
          </PartLink>
        </li>
      )}
    </ul>
  );
}
