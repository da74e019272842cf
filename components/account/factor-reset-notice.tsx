import { useRouter } from 'next/router';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { cancelReset } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import { displayMomentInUtc } from '@/lib/shared/moment';

type Props = {
  /** When the second factor is turned off, RFC 3339; null when no reset runs. */
  endsAt: string | null;
  /** Gives the focus to what remains. */
  onKept: () => void;
};

/** A reset of the second factor that runs, and the button that cancels it. */
export function FactorResetNotice({ endsAt, onKept }: Props) {
  const { t } = useMessages('two-step-verification');
  const router = useRouter();
  const [phase, setPhase] = useState<'idle' | 'working' | 'failed' | 'kept'>('idle');
  const cancel = async () => {
    setPhase('working');
    const result = await cancelReset();
    if (!result.ok) return setPhase('failed');
    await router.replace(router.asPath);
    setPhase('kept');
    onKept();
  };
  if (endsAt === null) return phase === 'kept' && <Notice tone="success">{t('reset.kept')}</Notice>;
  return (
    <>
      {phase === 'failed' && <Notice tone="error">{t('reset.failed')}</Notice>}
      {/* As the email says it: in UTC. */}
      <Notice tone="info">{t('reset.scheduled', { date: displayMomentInUtc(endsAt) })}</Notice>
      <Button busy={phase === 'working'} busyLabel={t('working')} onClick={() => void cancel()}>
        {t('reset.keep')}
      </Button>
    </>
  );
}
