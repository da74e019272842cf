import type { AccountSecurity } from '@/lib/shared/account/security';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/password-field';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { ProviderButton } from '@/components/ui/provider-button';
import type { Proof } from '@/lib/browser/account/account-methods';
import type { AuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { getSocialProviderId } from '@/lib/shared/providers/method-name';
import { SOCIAL_PROVIDERS } from '@/lib/shared/providers/social-providers';
import { useMessages } from '@/lib/browser/use-messages';

type Props = { account: AccountSecurity; busy: boolean; onProof: (proof: Proof) => Promise<AuthErrorCode | null> };

/** Reauthenticates the user with the password or with any provider of the account. */
export function ProofForm({ account, busy, onProof }: Props) {
  const { t } = useMessages('security');
  const byProvider = account.methods.filter(({ id }) => id !== 'password');
  return (
    <>
      {account.methods.some(({ id }) => id === 'password') && <PasswordProof busy={busy} onProof={onProof} />}
      {byProvider.map(({ id }) => {
        const social = getSocialProviderId(id);
        const press = () => void onProof({ by: 'provider', provider: social ?? id });
        if (social === null) {
          return (
            <Button key={id} kind="secondary" busy={busy} busyLabel={t('proof.working')} onClick={press}>
              {t('common:continueWith', { provider: t('sso') })}
            </Button>
          );
        }
        return (
          <ProviderButton
            key={id}
            provider={SOCIAL_PROVIDERS[social]}
            label={t('common:continueWith', { provider: SOCIAL_PROVIDERS[social].name })}
            busy={busy}
            busyLabel={t('proof.working')}
            onPress={press}
            onApproach={() => undefined}
          />
        );
      })}
    </>
  );
}

function PasswordProof({ busy, onProof }: Omit<Props, 'account'>) {
  const { t } = useMessages('security');
  const form = useFlowForm<{ current: string }, AuthErrorCode>({
    schema: async () => (await import('@/lib/browser/account/proof-schema')).proofSchema,
    defaults: { current: '' },
    submit: ({ current }) => onProof({ by: 'password', password: current }),
  });
  return (
    <Form label={t('proof.form')} flow={form}>
      <PasswordField
        form={form.fields}
        name="current"
        label={t('common:fields.currentPassword')}
        autoComplete="current-password"
      />
      <Button type="submit" busy={busy} busyLabel={t('proof.working')}>
        {t('proof.confirm')}
      </Button>
    </Form>
  );
}
