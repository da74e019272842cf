import { Button } from '@/components/ui/button';
import type { AccountProof } from '@/lib/browser/account/account-methods';
import {
  changeRecoveryEmail,
  type EmailChangeFailure,
  type RecoveryChange as Change,
} from '@/lib/browser/account/email-change';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { ChangePanel, useConfirmedChange, useReload } from './change-panel';
import { RequestFailure } from './email-change';
import { ProofPanel } from './proof-form';

type Props = {
  account: AccountSecurity;
  change: Change;
  /** The recovery email. */
  email: string;
  onChanged: () => void;
  onCancel: () => void;
};

/** asking → working → (proving → checking → working). `failure`: why the change was refused. */
type Rest = { name: 'asking'; change: Change; failure?: EmailChangeFailure } | { name: 'working'; change: Change };

/** Removes the recovery email, or makes it the main email: what it means, and a proof unless the session is recent. */
export function RecoveryChange({ account, change, email, onChanged, onCancel }: Props) {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const reload = useReload();
  const { phase, setPhase, confirm } = useConfirmedChange<Change, Rest>(account, { name: 'asking', change });
  const shown = { email: toDisplayEmail(email) };

  const carryOut = async (show: (next: typeof phase) => void, isProved: boolean) => {
    show({ name: 'working', change });
    const failure = await changeRecoveryEmail(env, { change, email }, account, isProved);
    if (failure === null) {
      await reload();
      onChanged();
    } else if (failure !== 'proof-required') show({ name: 'asking', change, failure });
    else show({ name: 'proving', change, ...(isProved && { failure: 'auth/requires-recent-login' as const }) });
    return failure === null ? null : ('auth/requires-recent-login' as const);
  };
  const prove = (proof: AccountProof) => confirm(change, proof, ({ show }) => carryOut(show, true));

  if (phase.name === 'asking' || phase.name === 'working') {
    const isUse = change === 'use';
    const facts = isUse
      ? [t('email.useSignIn'), t('email.useFormer'), t('email.useSignOut')]
      : [t('email.removalFact')];
    return (
      <ChangePanel
        stage="ask"
        text={isUse ? t('email.askUse', shown) : t('email.askRemoval', shown)}
        facts={facts}
        failure={
          phase.name === 'asking' &&
          phase.failure && (
            <RequestFailure failure={phase.failure} onExpire={() => setPhase({ name: 'asking', change })} />
          )
        }
        onCancel={onCancel}
      >
        <Button
          kind={isUse ? 'primary' : 'danger'}
          busy={phase.name === 'working'}
          busyLabel={t('proof.working')}
          onClick={() => void carryOut(setPhase, false)}
        >
          {t(`email.begin.${change}`)}
        </Button>
      </ChangePanel>
    );
  }
  return (
    <ProofPanel
      account={account}
      phase={phase}
      text={change === 'use' ? t('email.proveUse', shown) : t('email.proveRemoval', shown)}
      onProof={prove}
      onCancel={onCancel}
    />
  );
}
