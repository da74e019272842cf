import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useDisplayDomain } from './learning-context';

function Example({ domain }: { domain: string | null }) {
  return <p>{useDisplayDomain(domain) ?? 'nothing'}</p>;
}

afterEach(cleanup);

it('shows a plain domain immediately', () => {
  render(<Example domain="learn.campus.example" />);
  expect(screen.getByText('learn.campus.example')).toBeDefined();
});

it('shows an encoded domain as its owner writes it, and nothing before', async () => {
  render(<Example domain="xn--caf-dma.example" />);
  expect(screen.getByText('nothing')).toBeDefined();
  expect(await screen.findByText('café.example')).toBeDefined();
});

it('follows the domain', async () => {
  const { rerender } = render(<Example domain="xn--caf-dma.example" />);
  await screen.findByText('café.example');
  rerender(<Example domain="xn--bcher-kva.example" />);
  expect(screen.getByText('nothing')).toBeDefined();
  expect(await screen.findByText('bücher.example')).toBeDefined();
  rerender(<Example domain={null} />);
  expect(screen.getByText('nothing')).toBeDefined();
});
