import { useEffect, useState } from 'react';
import { useCodeForm, useRefusedCode } from '@/components/account-forms/code-entry';
import { Button, ButtonLink } from '@/components/ui/button';
import { CodeField } from '@/components/ui/form/code-field';
import { type FieldProps, TextField } from '@/components/ui/form/fields';
import { Form, isBusy, useFlowForm, type FlowForm } from '@/components/ui/form/form';
import type { AccountProof, ProofFailure } from '@/lib/browser/account/account-methods';
import { APP_CODE_LENGTH, groupKey, normalizeAppCode } from '@/lib/shared/account/typed-codes';
import type { FactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import type { NewApp } from '@/lib/shared/account/security';
import { usePanelFocus } from './change-panel';
import { FactorFailureNotice, isCodeRefused } from './factor-code-fields';
import styles from './second-factor.module.css';
import { Notice } from '@/components/ui/notice';
import { useBrand } from '@/lib/browser/config/context';
import { downloadFile } from '@/lib/browser/download-file';
import { useAttempt } from '@/lib/browser/hooks';
import section from './security.module.css';

/** A step of the setup: the new app, or the recovery codes. Loaded on demand. */
export default function FactorStep(props: AppProps | CodesProps) {
  return 'app' in props ? <NewAppStep {...props} /> : <RecoveryCodesStep {...props} />;
}

type AppProps = { app: NewApp; isTouch: boolean; onCode: (code: string) => Promise<FactorFailure | null> };

/** Shows the data for an authenticator app, and asks for the app's code. */
function NewAppStep({ app: { secret, uri, qr }, isTouch, onCode }: AppProps) {
  const { t } = useMessages('two-step-verification');
  const form = useCodeForm<CodeValues, FactorFailure>({
    schema: async () => (await import('@/lib/browser/account/schemas')).accountAppCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onCode(code),
  });
  const { phase } = form;
  const refusal = useStepRefusal(form);
  const key = (
    <div>
      <dl className={styles.key}>
        <dt>{t('newApp.key')}</dt>
        <dd className={styles.code} dir="ltr" translate="no">
          {groupKey(secret)}
        </dd>
      </dl>
      <div className={section.buttons}>
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
      <Form label={t('newApp.form')} flow={form}>
        {phase.name === 'failed' && refusal === null && (
          <FactorFailureNotice failure={phase.failure} onExpire={form.reset} />
        )}
        <AppCodeField form={form.fields} refusal={refusal} onComplete={form.onComplete} />
        <Button type="submit" kind={isTouch ? 'secondary' : 'primary'} busy={isBusy(phase)} busyLabel={t('working')}>
          {t('newApp.continue')}
        </Button>
      </Form>
    </>
  );
}

/** Dark on white in both themes, because some apps cannot read an inverted code. */
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

type CodesProps = {
  email: string | null;
  recoveryCodes: string[];
  /** Whether these are the account's first codes. Otherwise they replace others. */
  isFirst: boolean;
  onCode: (code: string) => Promise<FactorFailure | null>;
};

/** Shows new recovery codes to keep. Entering one of the codes activates them. */
function RecoveryCodesStep({ email, recoveryCodes, isFirst, onCode }: CodesProps) {
  const { t } = useMessages('two-step-verification');
  const brand = useBrand().name;
  const form = useFlowForm<CodeValues, FactorFailure>({
    schema: async () => (await import('@/lib/browser/account/schemas')).accountRecoveryCodeSchema,
    defaults: { code: '' },
    submit: ({ code }) => onCode(code),
  });
  const { phase } = form;
  const refusal = useStepRefusal(form, true);
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
          <span>{title}</span>
          <br />
          <span>{accountLine}</span>
        </p>
        <ul className={styles.codes} aria-label={t('codes.list')} translate="no">
          {recoveryCodes.map((code) => (
            <li key={code} className={styles.code} dir="ltr">
              {code}
            </li>
          ))}
        </ul>
      </div>
      <div className={section.buttons}>
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

/** Copies a text and shows whether it worked. */
function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useMessages('two-step-verification');
  const [result, setResult] = useState<'none' | 'copied' | 'failed'>('none');
  // A submitted code makes the message about copying obsolete.
  useAttempt(() => setResult('none'));
  const copy = async () => {
    setResult('none');
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      setResult('failed');
    }
  };
  return (
    <>
      <Button kind="quiet" onClick={() => void copy()}>
        {label}
      </Button>
      <span className={section.soft} role="status">
        {result === 'none' ? null : result === 'copied' ? t('copied') : t('copyFailed')}
      </span>
    </>
  );
}

type CodeValues = { code: string };
type CodeFieldProps = Pick<FieldProps<CodeValues>, 'form' | 'refusal'>;

/** Returns the field's message for a refused code. */
function useStepRefusal({ phase, reset }: Pick<FlowForm<CodeValues, unknown>, 'phase' | 'reset'>, isRecovery = false) {
  const { t } = useMessages('two-step-verification');
  const getText = () => {
    if (phase.name !== 'failed' || !isCodeRefused(phase.failure)) return null;
    const { factor, triesLeft } = phase.failure;
    if (isRecovery && factor === 'code-used') return t('failures.recoveryUsed');
    const left = factor === 'code-wrong' && Boolean(triesLeft) && t('triesLeft', { count: triesLeft ?? 0 });
    return [t(`failures.${factor}`), left].filter(Boolean).join(' ');
  };
  return useRefusedCode(getText(), reset);
}

/** The field for an app's code of six digits. @param props `onComplete` submits the code */
function AppCodeField({ onComplete, ...field }: CodeFieldProps & { onComplete?: () => void }) {
  const { t } = useMessages('two-step-verification');
  return (
    <CodeField
      {...field}
      name="code"
      onComplete={onComplete}
      label={t('code.label')}
      hint={t('code.hint')}
      inputMode="numeric"
      length={APP_CODE_LENGTH}
      normalize={normalizeAppCode}
    />
  );
}

function RecoveryCodeField(props: CodeFieldProps & { hint: string }) {
  const { t } = useMessages('two-step-verification');
  return (
    <TextField
      {...props}
      name="code"
      label={t('recoveryCode.label')}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
    />
  );
}

export type CodeProofProps = {
  busy: boolean;
  /** The action that follows the proof, for the label of the last button. */
  deed?: { label: string; kind: 'primary' | 'danger' } | undefined;
  onProof: (proof: AccountProof) => Promise<ProofFailure | null>;
};

/** The second factor of a reauthentication: a code of an authenticator app, or a recovery code. */
export function CodeProof(props: CodeProofProps) {
  const { t } = useMessages('two-step-verification');
  const [isRecovery, setIsRecovery] = useState(false);
  return (
    <>
      <CodeStep key={String(isRecovery)} isRecovery={isRecovery} {...props} />
      <div className={section.other}>
        <Button kind="quiet" onClick={() => setIsRecovery(!isRecovery)}>
          {isRecovery ? t('codeProof.useApp') : t('codeProof.useRecovery')}
        </Button>
      </div>
    </>
  );
}

/**
 * The previous step's focus is lost with it. The field takes the focus. If a code was not sufficient and the proof
 * begins again, the panel does.
 */
function CodeStep({ isRecovery, busy, deed, onProof }: CodeProofProps & { isRecovery: boolean }) {
  const { t } = useMessages('two-step-verification');
  const form = useFlowForm<CodeValues, ProofFailure>({
    schema: async () => {
      const schemas = await import('@/lib/browser/account/schemas');
      return isRecovery ? schemas.accountRecoveryCodeSchema : schemas.accountAppCodeSchema;
    },
    defaults: { code: '' },
    submit: ({ code }) => onProof({ by: 'code', code: isRecovery ? { recoveryCode: code } : { code } }),
  });
  const field = { form: form.fields, refusal: useStepRefusal(form, isRecovery) };
  const box = usePanelFocus(isRecovery);
  useEffect(() => box.current?.querySelector('input')?.focus(), [box]);
  return (
    <div ref={box}>
      <Form label={t('codeProof.form')} flow={form}>
        {isRecovery ? <RecoveryCodeField {...field} hint={t('recoveryCode.hint')} /> : <AppCodeField {...field} />}
        <Button type="submit" kind={deed?.kind} busy={busy} busyLabel={t('working')}>
          {deed?.label ?? t('codeProof.confirm')}
        </Button>
      </Form>
    </div>
  );
}
