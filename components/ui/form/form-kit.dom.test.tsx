// ASVS: 6.2.6
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
// The app loads this lazily. It is imported here first, because the tests use fake timers.
import '@hookform/resolvers/standard-schema';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { normalizeCode } from '@/lib/shared/account/typed-codes';
import { renderWithTexts } from '@/tests/support/render';
import { Button } from '../button';
import { CodeField } from './code-field';
import { ERROR_DELAY, Form, isBusy, useFlowForm } from './form';
import { PasswordField, EmailField } from './fields';

const schema = z.object({
  email: z.string().check(z.trim(), z.email('fields.emailInvalid')),
  password: z.string().check(z.minLength(1, 'fields.passwordMissing')),
});
type SignInValues = z.infer<typeof schema>;
type Submit = (values: SignInValues) => Promise<string | null>;

function Example({ submit, load }: { submit: Submit; load?: () => Promise<typeof schema> }) {
  const form = useFlowForm<SignInValues, string>({ schema: load ?? schema, submit });
  return (
    <Form label="example" flow={form}>
      <output>{form.phase.name === 'failed' ? form.phase.failure : form.phase.name}</output>
      <EmailField form={form.fields} name="email" label="Email" />
      <PasswordField form={form.fields} name="password" label="Password" autoComplete="current-password" />
      <Button type="submit" busy={isBusy(form.phase)} busyLabel="Working">
        Send
      </Button>
    </Form>
  );
}

const email = () => screen.getByLabelText<HTMLInputElement>('Email');
const password = () => screen.getByLabelText<HTMLInputElement>('Password', { selector: 'input' });
const send = () => screen.getByRole('button', { name: /Send/ });

const restore = () => act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
const user = () => userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

describe('useFlowForm', () => {
  it('shows an error 1500 ms after typing, and removes it when the value is valid', async () => {
    const typing = user();
    renderWithTexts(<Example submit={() => Promise.resolve(null)} />);
    await typing.type(email(), 'lena');
    expect(email().getAttribute('aria-invalid')).toBe('false');
    await act(() => vi.advanceTimersByTimeAsync(ERROR_DELAY + 50));
    await waitFor(() => expect(email().getAttribute('aria-invalid')).toBe('true'));
    expect(await screen.findByText('Enter an email address like name@example.com.')).toBeTruthy();
    await typing.type(email(), '@campus.test');
    await waitFor(() => expect(email().getAttribute('aria-invalid')).toBe('false'));
  });

  it('shows errors at once on submit, and focuses the first invalid field', async () => {
    const submit = vi.fn<Submit>();
    renderWithTexts(<Example submit={submit} />);
    await user().click(send());
    await waitFor(() => expect(document.activeElement).toBe(email()));
    expect(await screen.findByText('Enter your password.')).toBeTruthy();
    expect(submit).not.toHaveBeenCalled();
  });

  it('submits the values of the moment it was pressed, whatever is typed during a slow check', async () => {
    const submit = vi.fn<Submit>(() => Promise.resolve(null));
    let arrive: (loaded: typeof schema) => void = () => undefined;
    const loading = new Promise<typeof schema>((resolve) => (arrive = resolve));
    const typing = user();
    renderWithTexts(<Example submit={submit} load={() => loading} />);
    await typing.type(email(), 'lena@campus.test');
    await typing.type(password(), 'correct-horse-7{Enter}+half');
    await act(async () => {
      arrive(schema);
      await vi.advanceTimersByTimeAsync(1);
    });
    await waitFor(() => expect(submit).toHaveBeenCalledTimes(1));
    expect(submit.mock.calls[0]?.[0]).toEqual({ email: 'lena@campus.test', password: 'correct-horse-7' });
  });

  it('checks the corrected value when it is submitted again during a slow check', async () => {
    const submit = vi.fn<Submit>(() => Promise.resolve(null));
    let arrive: (loaded: typeof schema) => void = () => undefined;
    const loading = new Promise<typeof schema>((resolve) => (arrive = resolve));
    const typing = user();
    renderWithTexts(<Example submit={submit} load={() => loading} />);
    await typing.type(email(), 'lena{Enter}');
    await typing.type(email(), '@campus.test');
    await typing.type(password(), 'correct-horse-7{Enter}');
    await act(async () => {
      arrive(schema);
      await vi.advanceTimersByTimeAsync(1);
    });
    await waitFor(() => expect(submit).toHaveBeenCalledTimes(1));
    expect(submit.mock.calls[0]?.[0]).toEqual({ email: 'lena@campus.test', password: 'correct-horse-7' });
  });

  it('submits once however often the button is clicked, and keeps the values after a failure', async () => {
    let finish: (failure: string | null) => void = () => undefined;
    const submit = vi.fn<Submit>(() => new Promise((resolve) => (finish = resolve)));
    const typing = user();
    renderWithTexts(<Example submit={submit} />);
    await typing.type(email(), ' lena@campus.test ');
    await typing.type(password(), 'correct-horse-7');
    await typing.click(send());
    await typing.click(send());
    await typing.keyboard('{Enter}');
    await waitFor(() => expect(submit).toHaveBeenCalledTimes(1));
    expect(submit.mock.calls[0]?.[0]).toEqual({ email: 'lena@campus.test', password: 'correct-horse-7' });
    await waitFor(() => expect(send().getAttribute('aria-disabled')).toBe('true'));

    await act(async () => {
      finish('refused');
      await vi.advanceTimersByTimeAsync(1);
    });
    expect(await screen.findByText('refused')).toBeTruthy();
    expect(send().getAttribute('aria-disabled')).toBeNull();
    expect(password().value).toBe('correct-horse-7');
    await typing.click(send());
    await waitFor(() => expect(submit).toHaveBeenCalledTimes(2));
  });

  it('resets the spinner when the page is restored from the back/forward cache', async () => {
    const typing = user();
    renderWithTexts(<Example submit={() => Promise.resolve(null)} />);
    await typing.type(email(), 'lena@campus.test');
    await typing.type(password(), 'x');
    await typing.click(send());
    expect(await screen.findByText('done')).toBeTruthy();
    restore();
    expect(await screen.findByText('idle')).toBeTruthy();
  });

  it('keeps the email but no password when the page is restored from the back/forward cache, even if it is shown', async () => {
    const typing = user();
    renderWithTexts(<Example submit={() => Promise.resolve(null)} />);
    await typing.type(email(), 'lena@campus.test');
    await typing.type(password(), 'correct-horse-7');
    await typing.click(screen.getByRole('button', { name: 'Show password' }));
    restore();
    expect([email().value, password().value]).toEqual(['lena@campus.test', '']);
    await typing.click(send());
    expect(await screen.findByText('Enter your password.')).toBeTruthy();
  });
});

describe('useFlowForm, left while it is at work and restored by the Back button,', () => {
  it('shows no failure of the submit from before, also while it is submitted again', async () => {
    const answers: ((failure: string) => void)[] = [];
    const typing = user();
    renderWithTexts(<Example submit={() => new Promise((resolve) => answers.push(resolve))} />);
    await typing.type(email(), 'lena@campus.test');
    await typing.type(password(), 'correct-horse-7');
    await typing.click(send());
    await waitFor(() => expect(answers).toHaveLength(1));
    restore();
    await typing.type(password(), 'correct-horse-8{Enter}');
    await waitFor(() => expect(answers).toHaveLength(2));
    const answer = (at: number) =>
      act(async () => {
        answers[at]?.(`refused ${String(at)}`);
        await vi.advanceTimersByTimeAsync(1);
      });
    await answer(0);
    expect(screen.getByText('submitting')).toBeTruthy();
    await typing.click(send());
    expect(answers).toHaveLength(2);
    await answer(1);
    expect(screen.getByText('refused 1')).toBeTruthy();
  });

  it('does not submit what was checked before: the learner may be another', async () => {
    const submit = vi.fn<Submit>(() => Promise.resolve(null));
    let arrive: (loaded: typeof schema) => void = () => undefined;
    const loading = new Promise<typeof schema>((resolve) => (arrive = resolve));
    const typing = user();
    renderWithTexts(<Example submit={submit} load={() => loading} />);
    await typing.type(email(), 'lena@campus.test');
    await typing.type(password(), 'correct-horse-7{Enter}');
    restore();
    await act(async () => {
      arrive(schema);
      await vi.advanceTimersByTimeAsync(1);
    });
    expect(submit).not.toHaveBeenCalled();
    expect(screen.getByText('idle')).toBeTruthy();
    await typing.type(password(), 'correct-horse-8{Enter}');
    await waitFor(() =>
      expect(submit.mock.calls).toEqual([[{ email: 'lena@campus.test', password: 'correct-horse-8' }]]),
    );
  });
});

describe('PasswordField', () => {
  it('shows and hides the password without clearing it', async () => {
    const typing = user();
    renderWithTexts(<Example submit={() => Promise.resolve(null)} />);
    await typing.type(password(), 'secret');
    // Voice control uses the visible word, so the name contains it and changes with it.
    const toggle = screen.getByRole('button', { name: 'Show password' });
    expect(toggle.textContent).toBe('Show');
    await typing.click(toggle);
    expect(password().type).toBe('text');
    expect(screen.getByRole('button', { name: 'Hide password' })).toBe(toggle);
    expect(toggle.textContent).toBe('Hide');
    await typing.click(toggle);
    expect([password().type, password().value]).toEqual(['password', 'secret']);
  });

  it('announces caps lock politely', async () => {
    const typing = user();
    renderWithTexts(<Example submit={() => Promise.resolve(null)} />);
    await typing.click(password());
    await typing.keyboard('{CapsLock}A');
    expect(screen.getByText('Caps Lock is on.').getAttribute('role')).toBe('status');
  });

  it('warns of another keyboard layout until it is switched back', async () => {
    const typing = user();
    renderWithTexts(<Example submit={() => Promise.resolve(null)} />);
    await typing.click(password());
    await typing.keyboard('7é');
    expect(screen.queryByText('Your keyboard is set to another alphabet.')).toBeNull();
    await typing.keyboard('щ7');
    expect(screen.getByText('Your keyboard is set to another alphabet.').getAttribute('role')).toBe('status');
    await typing.keyboard('o');
    expect(screen.queryByText('Your keyboard is set to another alphabet.')).toBeNull();
  });
});

describe('CodeField', () => {
  const schema = z.object({ code: z.string() });

  type CodeProps = { onComplete: () => void; early?: string; checkedBy?: typeof schema };
  function CodeExample({ onComplete, early, checkedBy = schema }: CodeProps) {
    const [seen] = useState(() => onComplete);
    const defaults = early === undefined ? undefined : { code: early };
    const form = useFlowForm<{ code: string }, string>({
      schema: checkedBy,
      defaults,
      submit: () => Promise.resolve(null),
    });
    return (
      <CodeField form={form.fields} name="code" label="Code" length={6} normalize={normalizeCode} onComplete={seen} />
    );
  }

  it('accepts a pasted code with spaces, lower case and lookalikes, and submits once each time', async () => {
    const onComplete = vi.fn();
    const typing = user();
    renderWithTexts(<CodeExample onComplete={onComplete} />);
    const field = screen.getByLabelText<HTMLInputElement>('Code');
    await typing.click(field);
    await typing.paste(' ab-o1l 9 ');
    expect(field.value).toBe('AB0119');
    expect(field.autocomplete).toBe('one-time-code');
    expect(onComplete).toHaveBeenCalledTimes(1);
    await typing.clear(field);
    await typing.paste('AB0119');
    expect(onComplete).toHaveBeenCalledTimes(2);
  });

  it('leaves what an input method composes as it is until that is a whole code, or ended', () => {
    const onComplete = vi.fn();
    renderWithTexts(<CodeExample onComplete={onComplete} />);
    const field = screen.getByLabelText<HTMLInputElement>('Code');
    const compose = (value: string) => fireEvent.input(field, { target: { value }, isComposing: true });
    for (const text of ['１', '１２', '１２３', '１２３４', '１２３４５']) {
      compose(text);
      expect(field.value).toBe(text);
    }
    fireEvent.compositionEnd(field);
    expect([field.value, onComplete.mock.calls.length]).toEqual(['12345', 0]);
    compose('１２３４５６');
    expect([field.value, onComplete.mock.calls.length]).toEqual(['123456', 1]);
    fireEvent.compositionEnd(field);
    expect(onComplete).toHaveBeenCalledTimes(1);
  });

  it('is empty when the page is restored from the back/forward cache, and submits the same code again', async () => {
    const onComplete = vi.fn();
    const typing = user();
    renderWithTexts(<CodeExample onComplete={onComplete} />);
    const field = screen.getByLabelText<HTMLInputElement>('Code');
    await typing.type(field, 'AB0119');
    restore();
    expect(field.value).toBe('');
    await typing.type(field, 'AB0119');
    expect(onComplete).toHaveBeenCalledTimes(2);
  });

  // The field changes the last character of each code, but not always the character before.
  it.each(['ABCDEf', '12345f', 'emq75h', 'abcdef', 'AB011O', 'ABCDE-F'])(
    'shows no error of an earlier character after the complete code %s',
    async (code) => {
      const typing = user();
      const strict = z.object({ code: z.string().check(z.length(6, 'fields.invalid')) });
      renderWithTexts(<CodeExample onComplete={vi.fn()} checkedBy={strict} />);
      const field = screen.getByLabelText<HTMLInputElement>('Code');
      await typing.type(field, code.slice(0, -1));
      await typing.type(field, code.slice(-1));
      await act(() => vi.advanceTimersByTimeAsync(ERROR_DELAY + 50));
      expect(field.value).toHaveLength(6);
      expect(field.getAttribute('aria-invalid')).toBe('false');
      await typing.type(field, '{Backspace}');
      await act(() => vi.advanceTimersByTimeAsync(ERROR_DELAY + 50));
      await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
      await typing.type(field, 'h');
      await act(() => vi.advanceTimersByTimeAsync(ERROR_DELAY + 50));
      await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('false'));
    },
  );

  it('submits a code that was typed before hydration', async () => {
    const onComplete = vi.fn();
    renderWithTexts(<CodeExample onComplete={onComplete} early="ab o1l9" />);
    await waitFor(() => expect(onComplete).toHaveBeenCalledTimes(1));
    expect(screen.getByLabelText<HTMLInputElement>('Code').value).toBe('AB0119');
  });
});
