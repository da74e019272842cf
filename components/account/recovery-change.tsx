import { Button } from '@/components/ui/button';
import {
  changeRecoveryEmail,
  type EmailChangeFailure,
  type RecoveryChange as Change,
} from '@/lib/browser/account/email-change';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { ChangePanel, useReload } from './change-panel';
import { RequestFailure } from './email-change';
import { ProofPanel } from './proof-form';
import { useChange } from './use-change';

type Props = {
  account: AccountSecurity;
  change: Change;
  /** The recovery email. */
  email: string;
  onChanged: () => void;
  onCancel: () => void;
};

/** Removes the recovery email, or makes it the main email: what it means, and a proof unless the session is recent. */
export function RecoveryChange({ account, change, email, onChanged, onCancel }: Props) {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const reload = useReload();
  const hook = useChange<Change, EmailChangeFailure>(async (_, at) => {
    const isProved = at === 'proving';
    const failure = await changeRecoveryEmail(env, { change, email }, account, isProved);
    if (failure === 'proof-required')
      return { name: 'proving', failure: isProved ? 'auth/requires-recent-login' : undefined };
    if (failure !== null) return { name: 'failed', failure };
    await reload();
    onChanged();
    return null;
  });
  const { phase } = hook;
  const shown = { email: toDisplayEmail(email) };

  if (phase.name !== 'proving') {
    const isUse = change === 'use';
    const facts = isUse
      ? [t('email.useSignIn'), t('email.useFormer'), t('email.useSignOut')]
      : [t('email.removalFact')];
    return (
      <ChangePanel
        stage="ask"
        text={isUse ? t('email.askUse', shown) : t('email.askRemoval', shown)}
        facts={facts}
        failure={phase.name === 'failed' && <RequestFailure failure={phase.failure} onExpire={hook.cancel} />}
        onCancel={onCancel}
      >
        <Button
          kind={isUse ? 'primary' : 'danger'}
          busy={phase.name === 'opening'}
          busyLabel={t('proof.working')}
          onClick={() => hook.begin(change)}
        >
          {t(`email.begin.${change}`)}
        </Button>
      </ChangePanel>
    );
  }
  return (
    <ProofPanel
      account={account}
      hook={hook}
      text={change === 'use' ? t('email.proveUse', shown) : t('email.proveRemoval', shown)}
      onCancel={onCancel}
    />
  );
}
