import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { Notice } from '@/components/ui/notice';
import { useAppConfig, usePublicEnv } from '@/lib/browser/config/context';
import { downloadFile } from '@/lib/browser/download-file';
import type { FactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import { CopyButton } from './copy-button';
import { RecoveryCodeField, useStepRefusal, type CodeValues, FactorFailureNotice } from './factor-code-fields';
import styles from './second-factor.module.css';

type Props = {
  email: string | null;
  recoveryCodes: string[];
  /** Otherwise they replace others. */
  isFirst: boolean;
  onCode: (code: string) => Promise<FactorFailure | null>;
};

/** New recovery codes to keep; entering one of them puts them in use. */
export default function RecoveryCodesStep({ email, recoveryCodes, isFirst, onCode }: Props) {
  const { t } = useMessages('two-step-verification');
  const brand = useBrand();
  const form = useFlowForm<CodeValues, FactorFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/schemas')).recoveryCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onCode(code),
  });
  const { phase } = form;
  const refusal = useStepRefusal(form);
  const list = recoveryCodes.join('\n');
  const title = t('codes.fileTitle', { brand });
  const accountLine = t('codes.fileAccount', { email });
  const download = () =>
    downloadFile(
      'recovery-codes.txt',
      [title, accountLine, t('codes.fileNote'), '', list, ''].join('\n'),
      'text/plain',
    );
  return (
    <>
      <div className={styles.sheet}>
        <p className={styles.printed}>
          {title}
          <br />
          {accountLine}
        </p>
        <ul className={styles.codes} aria-label={t('codes.list')} translate="no">
          {recoveryCodes.map((code) => (
            <li key={code} className={styles.code} dir="ltr">
              {code}
            </li>
          ))}
        </ul>
      </div>
      <div className={styles.actions}>
        <CopyButton text={list} label={t('codes.copy')} />
        <Button kind="quiet" onClick={download}>
          {t('codes.download')}
        </Button>
        <Button kind="quiet" onClick={() => window.print()}>
          {t('codes.print')}
        </Button>
      </div>
      <Notice tone="info">{t('codes.warning')}</Notice>
      <Form label={t('codes.form')} flow={form}>
        {phase.name === 'failed' && refusal === null && (
          <FactorFailureNotice failure={phase.failure} onExpire={form.reset} />
        )}
        <RecoveryCodeField form={form.fields} refusal={refusal} hint={t('codes.hint')} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('working')}>
          {isFirst ? t('codes.turnOn') : t('codes.replace')}
        </Button>
      </Form>
    </>
  );
}

function useBrand(): string {
  const env = usePublicEnv();
  return useAppConfig()?.brandName ?? env.brandName;
}
