import { useState } from 'react';
import { AutoSubmitGuard } from '@/components/account-forms/auto-submit-guard';
import { Button, ButtonLink } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { groupKey } from '@/lib/browser/second-factor/codes';
import type { FactorFailure } from '@/lib/browser/second-factor/api';
import { useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import type { NewApp } from '@/lib/shared/account/second-factor';
import { CopyButton } from './copy-button';
import { AppCodeField, useStepRefusal, type CodeValues, FactorFailureNotice } from './factor-code-fields';
import styles from './second-factor.module.css';

type Props = { app: NewApp; onCode: (code: string) => Promise<FactorFailure | null> };

/** What an authenticator app is given, and the code that it shows then. */
export default function NewAppStep({ app: { secret, uri, qr }, onCode }: Props) {
  const { t } = useMessages('two-step-verification');
  const [sending] = useState(() => new AutoSubmitGuard());
  const form = useFlowForm<CodeValues, FactorFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/schemas')).appCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onCode(code).finally(() => sending.answered()),
  });
  const { phase } = form;
  const refusal = useStepRefusal(form);
  // The app is on this device: there is nothing to scan.
  const isTouch = useClientValue(() => window.matchMedia('(pointer: coarse)').matches, false);
  const key = (
    <div>
      <dl className={styles.key}>
        <dt>{t('newApp.key')}</dt>
        <dd className={styles.code} dir="ltr" translate="no">
          {groupKey(secret)}
        </dd>
      </dl>
      <div className={styles.actions}>
        <CopyButton text={secret} label={t('newApp.copyKey')} />
      </div>
    </div>
  );
  return (
    <>
      {isTouch ? (
        <>
          <ButtonLink kind="primary" href={uri}>
            {t('newApp.open')}
          </ButtonLink>
          {key}
          <QrCode qr={qr} />
        </>
      ) : (
        <>
          <QrCode qr={qr} />
          {key}
          <a className={styles.open} href={uri}>
            {t('newApp.open')}
          </a>
        </>
      )}
      <Form label={t('newApp.form')} flow={{ phase, onSubmit: (event) => sending.press(form.onSubmit, event) }}>
        {phase.name === 'failed' && refusal === null && (
          <FactorFailureNotice failure={phase.failure} onExpire={form.reset} />
        )}
        <AppCodeField form={form.fields} refusal={refusal} onComplete={() => sending.complete(form.onSubmit)} />
        <Button type="submit" kind={isTouch ? 'secondary' : 'primary'} busy={isBusy(phase)} busyLabel={t('working')}>
          {t('newApp.continue')}
        </Button>
      </Form>
    </>
  );
}

/** Dark on white in both themes: not every app reads an inverted one. */
function QrCode({ qr: { size, path } }: Pick<NewApp, 'qr'>) {
  const { t } = useMessages('two-step-verification');
  return (
    <svg
      className={styles.qr}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={t('newApp.qr')}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
