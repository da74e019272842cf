import { useEffect } from 'react';
import { useFirstFocus } from '@/components/account-forms/use-first-focus';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import type { FactorCode } from '@/lib/shared/account/second-factor';

/** The props of both forms. */
export type FactorFormProps = {
  /** @returns null when the sign-in is completed or over */
  submit: (factor: FactorCode) => Promise<CodeFailure | null>;
  /** Whether a passkey can be used instead. */
  hasPasskeys: boolean;
  /** The user chose this form: its field gets the focus, on phones as well. */
  isFocused: boolean;
};

export function useFactorFocus(name: string, isFocused: boolean): void {
  useFirstFocus(name);
  useEffect(() => {
    if (isFocused) document.getElementsByName(name)[0]?.focus();
  }, [name, isFocused]);
}
