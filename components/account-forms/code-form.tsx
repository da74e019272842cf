import { Button } from '@/components/ui/button';
import { Form, isBusy, type FlowForm } from '@/components/ui/form/form';
import { PageLink } from '@/components/ui/page-link';
import { preloadAuth } from '@/lib/browser/auth/provider/firebase';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import type { CodeValues } from '@/lib/shared/account/code-schemas';
import { OneTimeCodeField } from './one-time-code-field';
import { ProblemNotice, type FlowFailure } from './problem-notice';

type Props = {
  /** The result of `useCodeForm`. */
  form: FlowForm<CodeValues, FlowFailure> & { onComplete: () => void };
  texts: { form: string; verify: string; verifying: string };
  /** Until when the code works (`useCodeEnd`). */
  until?: number | null | undefined;
};

/** A form whose only field is a one-time code that signs in. */
export function CodeForm({ form, texts, until }: Props) {
  const env = usePublicEnv();
  const { t } = useMessages('problems');
  const { phase } = form;
  return (
    <Form label={texts.form} flow={form} onApproach={() => preloadAuth(env)}>
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset}>
          {phase.failure.code === 'email-taken' && <PageLink href={paths.signIn}>{t('toSignIn')}</PageLink>}
        </ProblemNotice>
      )}
      <OneTimeCodeField flow={form} onComplete={form.onComplete} until={until} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={texts.verifying}>
        {texts.verify}
      </Button>
    </Form>
  );
}
