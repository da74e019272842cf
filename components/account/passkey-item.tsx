import { useEffect, useId, useRef } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { TextField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { Icon } from '@/components/ui/icons';
import { displayDay } from '@/lib/browser/dates';
import type { PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { useClientValue } from '@/lib/browser/hooks';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { PASSKEY_NAME_MAX_LENGTH, type Passkey } from '@/lib/shared/account/passkeys';
import { canRemovePasskey, type AccountSecurity } from '@/lib/shared/account/security';
import { RemovePanel } from './passkey-panels';
import own from './passkeys.module.css';
import styles from './security.module.css';
import type { usePasskeys } from './use-passkeys';

type Props = { account: AccountSecurity; passkey: Passkey; hook: ReturnType<typeof usePasskeys> };

/** One passkey of the list, with the form or panel of its change. */
export function PasskeyItem({ account, passkey, hook }: Props) {
  const { t } = useMessages('security');
  const nameId = useId();
  const { id, provider, isSuspect } = passkey;
  const { phase } = hook;
  const name = passkey.name ?? provider ?? t('passkeys.unnamed');
  const left = { methods: account.methods, passkeys: Math.max(0, account.passkeys - (isSuspect ? 0 : 1)) };
  const renaming = phase.name === 'renaming' && phase.id === id ? phase : null;
  const removing =
    'change' in phase && phase.change.kind === 'remove' && phase.change.id === id
      ? { ...phase, change: phase.change }
      : null;
  if (renaming !== null)
    return (
      <li className={own.passkey}>
        <RenameForm passkey={passkey} name={name} isNew={renaming.isNew} hook={hook} />
      </li>
    );
  return (
    <li className={own.passkey}>
      <bdi id={nameId} className={own.name}>
        {name}
      </bdi>
      <Details passkey={passkey} />
      {isSuspect && (
        <p className={own.warning}>
          <Icon glyph="alert" />
          <span>{t('passkeys.suspect')}</span>
        </p>
      )}
      {removing !== null ? (
        <div className={own.panel}>
          <RemovePanel account={account} left={left} hook={hook} phase={removing} />
        </div>
      ) : (
        <div className={own.actions}>
          <Button
            kind="quiet"
            data-passkey={`rename ${id}`}
            aria-describedby={nameId}
            onClick={() => hook.beginRename(id)}
          >
            {t('passkeys.rename')}
          </Button>
          {canRemovePasskey(left) ? (
            <Button
              kind="quiet"
              data-passkey={`remove ${id}`}
              aria-describedby={nameId}
              onClick={() => hook.askToRemove({ id, name })}
            >
              {t('passkeys.remove')}
            </Button>
          ) : (
            <span className={styles.soft}>{t('methods.last')}</span>
          )}
        </div>
      )}
    </li>
  );
}

function Details({ passkey: { name, provider, isSynced, createdAt, lastUsedAt } }: { passkey: Passkey }) {
  const { t } = useMessages('security');
  const created = useDay(createdAt);
  const used = useDay(lastUsedAt ?? createdAt);
  return (
    <>
      {name !== null && provider !== null && <span className={own.detail}>{provider}</span>}
      <span className={own.detail}>{isSynced ? t('passkeys.synced') : t('passkeys.single')}</span>
      <span className={own.dates}>
        <span>{t('passkeys.created', { date: created })}</span>
        <span>{lastUsedAt === null ? t('passkeys.unused') : t('passkeys.lastUsed', { date: used })}</span>
      </span>
    </>
  );
}

/** The server does not know the reader's time zone: the server-rendered page shows the date in UTC. */
function useDay(moment: string): string {
  const language = useLanguage();
  return useClientValue(() => displayDay(moment, language), displayDay(moment, language, 'UTC'));
}

type RenameProps = Omit<Props, 'account'> & { name: string; isNew: boolean };

function RenameForm({ passkey: { id }, name, isNew, hook }: RenameProps) {
  const { t } = useMessages('security');
  const box = useRef<HTMLDivElement>(null);
  const form = useFlowForm<{ name: string }, PasskeyFailure>({
    schema: async () => (await import('@/lib/browser/passkeys/name-schema')).passkeyNameSchema,
    defaults: { name },
    submit: ({ name: next }) => hook.rename(id, next),
  });
  const { phase } = form;
  const leave = isNew ? hook.keepName : hook.cancel;
  useEffect(() => {
    const field = box.current?.querySelector('input');
    field?.focus();
    field?.select();
  }, []);
  return (
    <div ref={box} onKeyDown={({ key }) => key === 'Escape' && leave()}>
      <Form label={isNew ? t('passkeys.nameForm') : t('passkeys.renameForm', { passkey: name })} flow={form}>
        {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
        <TextField
          form={form.fields}
          name="name"
          label={t('passkeys.name')}
          autoComplete="off"
          maxLength={PASSKEY_NAME_MAX_LENGTH}
        />
        <div className={own.choices}>
          <Button type="submit" busy={isBusy(phase)} busyLabel={t('proof.working')}>
            {t('passkeys.save')}
          </Button>
          <Button kind="quiet" onClick={leave}>
            {isNew ? t('passkeys.skip') : t('proof.cancel')}
          </Button>
        </div>
      </Form>
    </div>
  );
}
