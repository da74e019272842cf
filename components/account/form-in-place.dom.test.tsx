import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { useFlowForm } from '@/components/ui/form/form';
import { renderWithTexts } from '@/tests/support/render';
import { FormInPlace } from './form-in-place';

afterEach(cleanup);

function Example({ onCancel }: { onCancel: () => void }) {
  const form = useFlowForm({ schema: z.object({ name: z.string() }), submit: () => Promise.resolve(null) });
  return (
    <FormInPlace label="example" form={form} save="Save" cancel="Cancel" onCancel={onCancel}>
      <input aria-label="Name" />
    </FormInPlace>
  );
}

it.each([
  ['cancels', { keyCode: 27 }, 1],
  ['ends what an input method composes', { keyCode: 229, isComposing: true }, 0],
  ['ends it in Safari, which says that nothing is composed', { keyCode: 229, isComposing: false }, 0],
])('Escape %s', (_, key, canceled) => {
  const onCancel = vi.fn();
  renderWithTexts(<Example onCancel={onCancel} />);
  fireEvent.keyDown(screen.getByLabelText('Name'), { key: 'Escape', ...key });
  expect(onCancel).toHaveBeenCalledTimes(canceled);
});
