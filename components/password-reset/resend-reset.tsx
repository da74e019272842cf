import Router from 'next/router';
import { ResendButton } from '@/components/account-forms/resend-button';
import { resendReset } from '@/lib/browser/account/api';
import { paths, pathWithFlow } from '@/lib/shared/paths';

/** A reset that waits for its code; `resendAfter` in seconds. */
export type PendingReset = { flow: string; email: string; resendAfter: number };

export function ResendReset({ pending: { flow, resendAfter } }: { pending: PendingReset }) {
  return <ResendButton wait={resendAfter} onResend={() => resendReset(flow)} onUsed={() => void showChanged(flow)} />;
}

/** The password was changed before, e.g. by the link in another tab: the next page says so. */
export function showChanged(flow: string): Promise<boolean> {
  return Router.replace(pathWithFlow(paths.forgetPasswordConfirmation, flow));
}
