import { Button } from '@/components/ui/button';
import { useFlowForm } from '@/components/ui/form/form';
import { NameField } from '@/components/account-forms/name-field';
import { LateNotice } from '@/components/ui/late-notice';
import { changeAccountName } from '@/lib/browser/account/api';
import { leaveIfSignedOut } from '@/lib/browser/account/account-methods';
import { followNameChange } from '@/lib/browser/account/follow-name-change';
import { type AuthErrorCode, toSignInFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { MethodFailure, useReload } from './change-panel';
import { FormInPlace } from './form-in-place';
import styles from './security.module.css';
import { useChange } from './use-change';

/** The account's name, and the form that changes it. */
export function NameSection({ account }: { account: AccountSecurity }) {
  const { t } = useMessages('security');
  const { phase, dispatch, cancel, heading, getButton } = useChange<'name'>(() =>
    Promise.resolve({ name: 'entering' }),
  );
  return (
    <section className={styles.block} aria-labelledby="security-name">
      <h3 ref={heading} id="security-name" tabIndex={-1}>
        {t('name.heading')}
      </h3>
      <LateNotice>{phase.name === 'done' && t('name.changed')}</LateNotice>
      {phase.name === 'entering' ? (
        <NameForm
          account={account}
          onChanged={() => dispatch({ type: 'advance', to: { name: 'done' } })}
          onCancel={cancel}
        />
      ) : (
        <div className={styles.row}>
          <bdi className={styles.text}>{account.name ?? t('name.missing')}</bdi>
          <Button kind="quiet" {...getButton('name')}>
            {t('name.change')}
          </Button>
        </div>
      )}
    </section>
  );
}

type FormProps = { account: AccountSecurity; onChanged: () => void; onCancel: () => void };

function NameForm({ account, onChanged, onCancel }: FormProps) {
  const { t } = useMessages('security');
  const reload = useReload();
  const { nameLength } = usePublicEnv();
  const form = useFlowForm<{ name: string }, AuthErrorCode>({
    schema: async () => (await import('@/lib/shared/account/name-field')).createNameSchema(nameLength),
    defaults: { name: account.name ?? '' },
    submit: async ({ name }) => {
      const result = await changeAccountName(name);
      if (result.ok) {
        followNameChange(account.email, name);
        await reload();
        onChanged();
        return null;
      }
      if (result.status === 401) await leaveIfSignedOut(account.email);
      return toSignInFailure(result).code;
    },
  });
  const { phase } = form;
  return (
    <FormInPlace
      label={t('name.form')}
      form={form}
      save={t('name.save')}
      cancel={t('proof.cancel')}
      onCancel={onCancel}
    >
      {phase.name === 'failed' && <MethodFailure failure={phase.failure} email={account.email} />}
      <NameField form={form.fields} name="name" label={t('name.label')} />
    </FormInPlace>
  );
}
