import { Icon } from '@/components/ui/icons';
import { useClientValue } from '@/lib/browser/hooks';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { useMessages } from '@/lib/browser/use-messages';
import type { NextStep } from '@/lib/shared/account/next-step';
import type { AccountSecurity, SecurityPart } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { getInitials } from '@/lib/shared/initials';
import styles from './account-head.module.css';
import { AccountIcon, PartLink } from './security-parts';

/** Whose account it is. */
export function AccountHead({ account: { name, email } }: { account: AccountSecurity }) {
  const address = email === null ? null : toDisplayEmail(email);
  return (
    <div className={styles.who}>
      <span className={styles.initials} aria-hidden="true">
        {getInitials(name ?? address ?? '')}
      </span>
      <div className={styles.names}>
        {name !== null && <bdi className={styles.name}>{name}</bdi>}
        <span dir="ltr">{address}</span>
      </div>
    </div>
  );
}

/** Where each step is taken. */
const TARGETS: Record<'passkey' | 'two-step' | 'recovery', { part: SecurityPart; heading?: string }> = {
  passkey: { part: 'sign-in', heading: 'security-passkeys' },
  'two-step': { part: 'two-step-verification' },
  recovery: { part: 'sign-in', heading: 'security-recovery-email' },
};

/** The single step that makes the account safer next. @param props `steps`: the best first */
export function NextStepCard({ steps }: { steps: readonly NextStep[] }) {
  const { t } = useMessages('security');
  const hasMeans = useClientValue(hasPasskeyMeans, true);
  const step = steps.find((each) => each !== 'passkey' || hasMeans);
  if (step === undefined) return null;
  const text = (
    <span className={styles.text}>
      <strong>{t(`next.${step}.title`)}</strong>
      <span>{t(`next.${step}.text`)}</span>
    </span>
  );
  return (
    <section className={step === 'done' ? styles.done : styles.next} aria-label={t('next.label')}>
      {step === 'done' ? (
        <p className={styles.line}>
          <Icon glyph="check" />
          {text}
        </p>
      ) : (
        <PartLink {...TARGETS[step]}>
          {step === 'two-step' ? (
            <AccountIcon glyph="phone" />
          ) : (
            <Icon glyph={step === 'passkey' ? 'passkey' : 'info'} />
          )}
          {text}
        </PartLink>
      )}
    </section>
  );
}
