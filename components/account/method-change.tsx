import type { AccountSecurity } from '@/lib/shared/account/security';
import { useEffect, useId, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { ProviderButton } from '@/components/ui/provider-button';
import { SOCIAL_PROVIDERS } from '@/lib/shared/providers/social-providers';
import { useMessages } from '@/lib/browser/use-messages';
import { MethodFailure } from './method-failure';
import { ProofForm } from './proof-form';
import styles from './security.module.css';
import type { useMethods } from './use-methods';

type Props = { account: AccountSecurity; methods: ReturnType<typeof useMethods>; getName: (id: string) => string };

/** One change of the account's sign-in methods: reauthentication, then the change itself. */
export function MethodChange({ account, methods, getName }: Props) {
  const { t } = useMessages('security');
  const { phase, prove, link, cancel } = methods;
  const panel = useRef<HTMLDivElement>(null);
  const text = useId();
  const isLink = 'change' in phase && phase.change.kind === 'link';
  const linksNext = isLink && (phase.name === 'proved' || phase.name === 'working');
  useEffect(() => panel.current?.focus(), [linksNext]);
  if (!('change' in phase)) return null;
  const { change, failure } = phase;
  const method = getName(change.id);
  const getRemovalText = () =>
    change.id === 'password' ? t('proof.toRemovePassword') : t('proof.toUnlink', { method });
  return (
    <div className={styles.panel} ref={panel} tabIndex={-1} role="group" aria-labelledby={text}>
      <p id={text}>{isLink ? t(linksNext ? 'proof.linkNext' : 'proof.toLink', { method }) : getRemovalText()}</p>
      {failure && (
        <MethodFailure failure={failure} email={account.email} keepChange={() => methods.keepChange(change)} />
      )}
      {change.kind === 'link' && linksNext ? (
        <ProviderButton
          provider={SOCIAL_PROVIDERS[change.id]}
          label={t('common:continueWith', { provider: method })}
          busy={phase.name === 'working'}
          busyLabel={t('proof.working')}
          onPress={() => link(change)}
          onApproach={() => undefined}
        />
      ) : (
        <ProofForm account={account} busy={phase.name !== 'proving'} onProof={(proof) => prove(change, proof)} />
      )}
      <Button kind="quiet" onClick={cancel}>
        {t('proof.cancel')}
      </Button>
    </div>
  );
}
