import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import type { Proof, ProofFailure } from '@/lib/browser/account/account-methods';
import { useMessages } from '@/lib/browser/use-messages';
import { AppCodeField, RecoveryCodeField, type CodeValues } from './factor-code-fields';

type Props = { busy: boolean; onProof: (proof: Proof) => Promise<ProofFailure | null> };

/** The second factor of a reauthentication: a code of an authenticator app, or a recovery code. */
export function CodeProof({ busy, onProof }: Props) {
  const { t } = useMessages('two-step-verification');
  const [isRecovery, setIsRecovery] = useState(false);
  const Code = isRecovery ? RecoveryCodeProof : AppCodeProof;
  return (
    <>
      <Code busy={busy} onProof={onProof} />
      <Button kind="quiet" onClick={() => setIsRecovery(!isRecovery)}>
        {isRecovery ? t('codeProof.useApp') : t('codeProof.useRecovery')}
      </Button>
    </>
  );
}

function AppCodeProof({ busy, onProof }: Props) {
  const form = useFlowForm<CodeValues, ProofFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/schemas')).appCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onProof({ by: 'code', code: { code } }),
  });
  return (
    <ProofStep flow={form} busy={busy}>
      <AppCodeField form={form.fields} />
    </ProofStep>
  );
}

function RecoveryCodeProof({ busy, onProof }: Props) {
  const { t } = useMessages('two-step-verification');
  const form = useFlowForm<CodeValues, ProofFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/schemas')).recoveryCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onProof({ by: 'code', code: { recoveryCode: code } }),
  });
  return (
    <ProofStep flow={form} busy={busy}>
      <RecoveryCodeField form={form.fields} hint={t('recoveryCode.hint')} />
    </ProofStep>
  );
}

type StepProps = Pick<Parameters<typeof Form>[0], 'flow' | 'children'> & { busy: boolean };

/** The step before took the focus with it: the field takes it. */
function ProofStep({ flow, busy, children }: StepProps) {
  const { t } = useMessages('two-step-verification');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={box}>
      <Form label={t('codeProof.form')} flow={flow}>
        {children}
        <Button type="submit" busy={busy} busyLabel={t('working')}>
          {t('codeProof.confirm')}
        </Button>
      </Form>
    </div>
  );
}
