import type { EmailUse, RecoveryChange as Change } from '@/lib/browser/account/email-change';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { EmailChange } from './email-change';
import { RecoveryChange } from './recovery-change';

type Props = {
  account: AccountSecurity;
  /** `main`, `recovery`: a new email. `use`, `remove`: the present recovery email. */
  change: EmailUse | Change;
  /** The present recovery email. */
  recoveryEmail?: string | null;
  onChanged: () => void;
  onCancel: () => void;
};

/** Every change of the account's emails. /security loads it when the first one begins. */
export default function EmailPanel({ change, recoveryEmail, ...panel }: Props) {
  if (change === 'main' || change === 'recovery') return <EmailChange {...panel} use={change} />;
  return <RecoveryChange {...panel} change={change} email={recoveryEmail ?? ''} />;
}
