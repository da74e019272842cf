import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import type { Proof, ProofFailure } from '@/lib/browser/account/account-methods';
import { useMessages } from '@/lib/browser/use-messages';
import { AppCodeField, RecoveryCodeField, type CodeValues } from './factor-code-fields';

type Props = { busy: boolean; deed: string | undefined; onProof: (proof: Proof) => Promise<ProofFailure | null> };

/** The second factor of a reauthentication: a code of an authenticator app, or a recovery code. */
export function CodeProof(props: Props) {
  const { t } = useMessages('two-step-verification');
  const [isRecovery, setIsRecovery] = useState(false);
  const Code = isRecovery ? RecoveryCodeProof : AppCodeProof;
  return (
    <>
      <Code {...props} />
      <Button kind="quiet" onClick={() => setIsRecovery(!isRecovery)}>
        {isRecovery ? t('codeProof.useApp') : t('codeProof.useRecovery')}
      </Button>
    </>
  );
}

function AppCodeProof({ busy, deed, onProof }: Props) {
  const form = useFlowForm<CodeValues, ProofFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/schemas')).appCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onProof({ by: 'code', code: { code } }),
  });
  return (
    <ProofStep flow={form} busy={busy} deed={deed}>
      <AppCodeField form={form.fields} />
    </ProofStep>
  );
}

function RecoveryCodeProof({ busy, deed, onProof }: Props) {
  const { t } = useMessages('two-step-verification');
  const form = useFlowForm<CodeValues, ProofFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/schemas')).recoveryCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onProof({ by: 'code', code: { recoveryCode: code } }),
  });
  return (
    <ProofStep flow={form} busy={busy} deed={deed}>
      <RecoveryCodeField form={form.fields} hint={t('recoveryCode.hint')} />
    </ProofStep>
  );
}

type StepProps = Pick<Parameters<typeof Form>[0], 'flow' | 'children'> & Pick<Props, 'busy' | 'deed'>;

/** The step before took the focus with it: the field takes it. */
function ProofStep({ flow, busy, deed, children }: StepProps) {
  const { t } = useMessages('two-step-verification');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={box}>
      <Form label={t('codeProof.form')} flow={flow}>
        {children}
        <Button type="submit" kind={deed === undefined ? 'primary' : 'danger'} busy={busy} busyLabel={t('working')}>
          {deed ?? t('codeProof.confirm')}
        </Button>
      </Form>
    </div>
  );
}
