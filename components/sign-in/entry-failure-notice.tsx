import { useTranslation } from 'next-i18next/pages';
import { LimitEnd } from '@/components/layout/limit-end';
import { Notice } from '@/components/ui/notice';
import type { EntryFailure } from '@/lib/auth/enter';
import { errorTextKey, isCredentialFailure } from '@/lib/auth/error-codes';

type Props = {
  failure: EntryFailure;
  /** Failed tries so far: the second adds a way on, the third the support. */
  tries: number;
  /** Told when a limit has ended and the message is no longer true. */
  onOver: () => void;
};

export function EntryFailureNotice({ failure, tries, onOver }: Props) {
  const { t } = useTranslation('common');
  const isGeneral = isCredentialFailure(failure.code);
  return (
    <Notice tone="error">
      <p>{t(isGeneral ? errorTextKey('auth/invalid-login-credentials') : errorTextKey(failure.code))}</p>
      {failure.code === 'auth/too-many-requests' && <LimitEnd failure={failure} onOver={onOver} />}
      {isGeneral && tries === 2 && <p>{t('errors.tryReset')}</p>}
      {isGeneral && tries > 2 && <p>{t('errors.trySupport')}</p>}
    </Notice>
  );
}
