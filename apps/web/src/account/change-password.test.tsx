import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { ChangePassword } from './change-password.tsx';

const { click, pass } = ownClock();
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const send = async () => {
  await click(screen.getByRole('button'));
  await pass(0);
};

test('before a password is changed, the page says that other devices are logged out and API keys revoked', async () => {
  await renderPart(<ChangePassword />);
  expect(screen.getByText(/logs you out on every other device and revokes your API keys/)).toBeTruthy();
});

test('a password that is certainly too short is not sent', async () => {
  const fetching = vi.spyOn(globalThis, 'fetch');
  await renderPart(<ChangePassword />);
  type('Current password', 'the old one');
  type('New password', 'short');
  await send();
  expect(screen.getByText('Enter at least 8 characters.')).toBeTruthy();
  expect(fetching).not.toHaveBeenCalled();
});

test('what the API refuses stands at its field', async () => {
  const message = 'This is not your current password.';
  const problem = {
    error: 'validation_failed',
    status: 400,
    title: 'x',
    errors: [{ path: '/currentPassword', message }],
  };
  const fetching = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(problem, { status: 400 }));
  await renderPart(<ChangePassword />);
  type('Current password', 'a wrong one');
  type('New password', 'a new password');
  await send();
  expect(fetching.mock.calls[0]?.[0]).toContain('/v1/users/current/password');
  expect(screen.getByLabelText('Current password').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText(message)).toBeTruthy();
});
