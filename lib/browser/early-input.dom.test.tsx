import { act, waitFor } from '@testing-library/react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { translatePage } from '@/tests/support/translation';

type Values = { email: string; password: string; code: string };
let root: Root | undefined;
let submitted: Values[] = [];

beforeEach(() => {
  submitted = [];
});
afterEach(() => {
  act(() => root?.unmount());
  document.body.innerHTML = '';
});

/** Loads the modules of a new document, with one of its screens. */
async function load() {
  vi.resetModules();
  const [{ withTexts }, { Form, useFlowForm }, { EmailField, PasswordField }, { CodeField }] = await Promise.all([
    import('@/tests/support/render'),
    import('@/components/ui/form/form'),
    import('@/components/ui/form/fields'),
    import('@/components/ui/form/code-field'),
  ]);
  function Screen() {
    const flow = useFlowForm<Values, string>({
      schema: { resolver: (values) => ({ values, errors: {} }) },
      submit: (values) => {
        submitted.push({ ...values });
        return Promise.resolve(null);
      },
    });
    return (
      <Form label="f" flow={flow}>
        <EmailField form={flow.fields} name="email" label="Email" />
        <PasswordField form={flow.fields} name="password" label="Password" autoComplete="current-password" />
        <CodeField form={flow.fields} name="code" label="Code" length={9} normalize={(text) => text.toUpperCase()} />
        <input type="checkbox" aria-label="Shared" />
        <button type="submit">Send</button>
      </Form>
    );
  }
  return withTexts(<Screen />);
}

const getField = (name: string) => {
  const [field] = document.getElementsByName(name);
  if (!(field instanceof HTMLInputElement)) throw new Error(`No field ${name}`);
  return field;
};
const getForm = () => document.forms[0] as HTMLFormElement;
const getBox = () => document.querySelector<HTMLInputElement>('[type=checkbox]');

/**
 * Hydrates a form as the server sent it.
 * @param meanwhile changes the page before hydration
 * @returns how often React gave up and rendered it again
 */
async function hydrate(meanwhile: () => void): Promise<number> {
  const container = document.createElement('div');
  container.innerHTML = renderToString(await load());
  document.body.append(container);
  meanwhile();
  const content = await load();
  let failures = 0;
  act(() => {
    root = hydrateRoot(container, content, { onRecoverableError: () => (failures += 1) });
  });
  return failures;
}

const type = () => {
  getField('email').value = 'mia@campus.test';
  getField('password').value = 'quiet-lantern-42';
  getField('code').value = 'abc';
  getBox()?.click();
  getField('password').focus();
  getField('password').setSelectionRange(5, 5);
};

describe.each([
  ['nothing is changed', 0, () => undefined],
  [
    'an extension has put an element beside a field',
    1,
    () => getField('email').after(document.createElement('password-helper')),
  ],
  ['an extension has put an element before all fields', 1, () => getForm().prepend(document.createElement('div'))],
  [
    'an extension has put a field of its own into the form',
    0,
    () => getField('email').before(Object.assign(document.createElement('input'), { type: 'hidden' })),
  ],
  ['the page was translated', 1, translatePage],
])('%s before hydration', (_, failures, change) => {
  it('what was typed stays, with the focus and the cursor', async () => {
    const happened = await hydrate(() => {
      change();
      type();
    });
    expect(happened).toBe(failures);
    expect(['email', 'password', 'code'].map((name) => getField(name).value)).toEqual([
      'mia@campus.test',
      'quiet-lantern-42',
      // The text is normalized, as it is when typed later.
      'ABC',
    ]);
    expect(getBox()?.checked).toBe(true);
    expect(document.activeElement).toBe(getField('password'));
    expect(getField('password').selectionStart).toBe(5);
    act(() => getForm().requestSubmit());
    await waitFor(() =>
      expect(submitted).toEqual([{ email: 'mia@campus.test', password: 'quiet-lantern-42', code: 'ABC' }]),
    );
  });

  it('a form that was submitted is submitted once', async () => {
    await hydrate(() => {
      change();
      type();
      getForm().setAttribute('data-early', '');
    });
    await waitFor(() => expect(submitted).toHaveLength(1));
    expect(submitted[0]).toMatchObject({ email: 'mia@campus.test', password: 'quiet-lantern-42' });
  });

  it('an untouched form stays as it is', async () => {
    await hydrate(change);
    expect(['email', 'password', 'code'].map((name) => getField(name).value)).toEqual(['', '', '']);
    expect(document.activeElement).toBe(document.body);
    expect(submitted).toEqual([]);
  });
});
