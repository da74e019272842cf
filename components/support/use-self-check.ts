import { useState } from 'react';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { checkBrowser, type CheckResult } from '@/lib/browser/self-check/checks';
import { giveSupportCode } from '@/lib/browser/self-check/support-code';
import { reportError } from '@/lib/shared/error-reporting/report';

type SelfCheck = { state: 'idle' | 'checking' } | { state: 'done'; results: CheckResult[]; code: string };

/** Checks this browser on demand, and reports the results under a code that support can look up. */
export function useSelfCheck() {
  const env = usePublicEnv();
  const [check, setCheck] = useState<SelfCheck>({ state: 'idle' });
  const begin = async () => {
    setCheck({ state: 'checking' });
    const results = await checkBrowser(env);
    const code = giveSupportCode();
    const failed = results.flatMap(({ name, ok }) => (ok ? [] : [name]));
    reportError(new Error('A learner checked their browser'), { failed });
    setCheck({ state: 'done', results, code });
  };
  return { check, begin };
}
