import { useEffect, useId, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/form/fields';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { Notice } from '@/components/ui/notice';
import { downloadFile } from '@/lib/browser/download-file';
import { act, lookUp, type DeskFailure } from '@/lib/browser/support/desk-client';
import {
  ACCOUNT_ACTIONS,
  type AccountAction,
  type ActionDone,
  type Receipt,
  type SupportAccount,
} from '@/lib/shared/support/desk';
import { ACTION_TEXTS } from './action-texts';
import { DeskFailureNotice } from './desk-failure-notice';
import { reason as reasonRule, REASON_HINT } from './reason';
import { SelectField } from './select-field';
import styles from './desk.module.css';

const schema = z.object({ action: z.enum(ACCOUNT_ACTIONS, 'Choose an action.'), reason: reasonRule });
type Values = z.infer<typeof schema>;
type Typed = { action: AccountAction | ''; reason: string };

type Props = {
  account: SupportAccount;
  name: string;
  reason: string;
  getToken: () => string;
  /** Gets the account as it is after an action. */
  onRefreshed: (account: SupportAccount) => void;
  onDeleted: (receipt: Receipt) => void;
};

/** choosing → (confirming →) busy → done or failed. What the operator typed stays in the form. */
export function ActionsPart({ account: { uid, actions }, name, reason, getToken, onRefreshed, onDeleted }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [order, setOrder] = useState<Values | null>(null);
  const [done, setDone] = useState<{ result: ActionDone; isFresh: boolean } | null>(null);
  const outcome = useRef<HTMLHeadingElement>(null);
  const run = async (values: Values): Promise<DeskFailure | null> => {
    setDone(null);
    const result = await act(getToken(), { uid, ...values });
    if (!result.ok) return result.failure;
    if (result.data.receipt) {
      onDeleted(result.data.receipt);
      return null;
    }
    // The state and the timeline have changed.
    const again = await lookUp(getToken(), { by: 'uid', value: uid, reason: values.reason });
    const [fresh] = again.ok ? again.data.accounts : [];
    if (fresh) onRefreshed(fresh);
    setOrder(null);
    // It may not be possible twice.
    form.fields.setValue('action', '');
    setDone({ result: result.data, isFresh: fresh !== undefined });
    return null;
  };
  const form = useFlowForm<Typed, DeskFailure>({
    schema,
    defaults: { action: '', reason },
    submit: async (values) => {
      const { action } = values as Values;
      if (ACTION_TEXTS[action].changes) setOrder(values as Values);
      else {
        const failure = await run(values as Values);
        if (failure) return failure;
      }
      form.reset();
      return null;
    },
  });
  useEffect(() => {
    if (done) outcome.current?.focus();
  }, [done]);
  const { phase, fields } = form;
  const chosen = fields.watch('action');
  const leave = () => {
    setOrder(null);
    // The pressed button is removed.
    heading.current?.focus();
  };
  return (
    <div className={styles.actions}>
      <h4 ref={heading} tabIndex={-1}>
        Act on this account
      </h4>
      {done && <Done {...done} heading={outcome} />}
      {order ? (
        <Confirmation name={name} order={order} run={() => run(order)} onCancel={leave} />
      ) : actions.length === 0 ? (
        <p>Your token allows no action on this account.</p>
      ) : (
        <Form label={`Act on ${name}`} flow={form}>
          {phase.name === 'failed' && <DeskFailureNotice failure={phase.failure} onExpire={form.reset} />}
          <SelectField
            form={fields}
            name="action"
            label="Action"
            hint={chosen === '' ? 'Make sure first that you talk to the owner.' : ACTION_TEXTS[chosen].effect}
          >
            <option value="">Choose an action</option>
            {actions.map((action) => (
              <option key={action} value={action}>
                {ACTION_TEXTS[action].label}
              </option>
            ))}
          </SelectField>
          <TextField form={fields} name="reason" label="Reason for the action" hint={REASON_HINT} autoComplete="off" />
          <Button
            kind={chosen === 'delete' ? 'danger-secondary' : 'secondary'}
            type="submit"
            busy={isBusy(phase)}
            busyLabel="Working"
          >
            {chosen === '' ? 'Continue' : ACTION_TEXTS[chosen].label}
          </Button>
        </Form>
      )}
    </div>
  );
}

type ConfirmationProps = {
  name: string;
  order: Values;
  run: () => Promise<DeskFailure | null>;
  onCancel: () => void;
};

/** Asks once more before an account is changed. */
function Confirmation({ name, order: { action, reason }, run, onCancel }: ConfirmationProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<DeskFailure | null>(null);
  useEffect(() => heading.current?.focus(), []);
  const { label, effect } = ACTION_TEXTS[action];
  const confirm = async () => {
    setIsRunning(true);
    setFailure(null);
    setFailure(await run());
    setIsRunning(false);
  };
  return (
    <div className={styles.confirmation} role="group" aria-labelledby={id}>
      <h5 id={id} ref={heading} tabIndex={-1}>{`${label}: ${name}?`}</h5>
      <p>{effect}</p>
      <p className={styles.soft}>{`Reason: ${reason}`}</p>
      {failure && <DeskFailureNotice failure={failure} onExpire={() => setFailure(null)} />}
      <div className={styles.choices}>
        <Button
          kind={action === 'delete' ? 'danger' : 'primary'}
          busy={isRunning}
          busyLabel="Working"
          onClick={() => void confirm()}
        >
          {label}
        </Button>
        <Button kind="quiet" inactive={isRunning} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

type DoneProps = {
  result: ActionDone;
  /** Whether the page shows the account as it is now. */
  isFresh: boolean;
  heading: React.RefObject<HTMLHeadingElement | null>;
};

function Done({ result: { action, uid, data }, isFresh, heading }: DoneProps) {
  return (
    <>
      <Notice tone="success" inRegion>
        <h5 ref={heading} tabIndex={-1}>
          {ACTION_TEXTS[action].done}
        </h5>
        {!isFresh && <p>What you see below is from before. Look the account up again.</p>}
      </Notice>
      {data && (
        <Button
          kind="secondary"
          onClick={() => downloadFile(`account-${uid}.json`, JSON.stringify(data, null, 2), 'application/json')}
        >
          Save the data
        </Button>
      )}
    </>
  );
}
