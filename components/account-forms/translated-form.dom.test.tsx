import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { NewPasswordForm } from './new-password-form';
import { EmailHint } from './email-hint';
import { findOwnedTexts } from '@/tests/support/owned-texts';
import { renderAtOrigin } from '@/tests/support/render';
import { translatePage } from '@/tests/support/translation';
import { emailRules, type EmailValues } from '@/lib/shared/account/email-rules';
import { EmailField } from '@/components/ui/form/fields';
import { Form, useFlowForm } from '@/components/ui/form/form';

afterEach(cleanup);

const typing = userEvent.setup();

it('a translated page keeps what was typed where a new password is chosen, and says what is wrong', async () => {
  const saved: string[] = [];
  const save = (password: string) => {
    saved.push(password);
    return Promise.resolve(null);
  };
  renderAtOrigin(
    ['password'],
    <NewPasswordForm label="f" email="" button="Save" busyLabel="" save={save} getNextStep={() => null} />,
  );
  translatePage();
  expect(await screen.findByText(/^⟦Use at least 8 characters\. A few/)).toBeTruthy();
  await typing.click(screen.getByRole('button', { name: /Save/ }));
  const alert = await screen.findByRole('alert');
  await waitFor(() => expect(alert.textContent).toMatch(/^⟦.+⟧$/));
  const field = document.querySelector<HTMLInputElement>('[name=password]');
  if (!field) throw new Error('No field');
  await typing.type(field, 'quiet-lan');
  // The hint of each moment is translated again.
  await waitFor(() => expect(document.body.textContent).toMatch(/⟦[^⟧]*long enough[^⟧]*⟧/i));
  await typing.type(field, 'tern-42{Enter}');
  await waitFor(() => expect(saved).toEqual(['quiet-lantern-42']));
});

it('a translated page shows and takes back what an address was probably meant to be', async () => {
  function Example() {
    const flow = useFlowForm<EmailValues, string>({ schema: emailRules, submit: () => Promise.resolve(null) });
    return (
      <Form label="f" flow={flow}>
        <EmailField form={flow.fields} name="email" label="Email" hint={<EmailHint form={flow.fields} />} />
      </Form>
    );
  }
  renderAtOrigin(['password'], <Example />, { mailboxDomains: ['campus.test'] });
  translatePage();
  const field = document.querySelector<HTMLInputElement>('[name=email]');
  if (!field) throw new Error('No field');
  await typing.type(field, 'mia@canpus.test');
  await typing.click(await screen.findByRole('button', { name: '⟦mia@campus.test⟧' }));
  expect(field.value).toBe('mia@campus.test');
  await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
});

it('texts beside elements are found', () => {
  renderAtOrigin(['password'], <EmailLine />);
  expect(findOwnedTexts(document.body)).toEqual([]);
});

function EmailLine() {
  return (
    <p>
      <span>Sent to </span>
      <strong>mia@campus.test</strong>
    </p>
  );
}
