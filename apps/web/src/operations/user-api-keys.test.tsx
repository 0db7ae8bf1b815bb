import type { User } from '@minitickets/contract';
import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { UserApiKeys } from './user-api-keys.tsx';

const { click, pass } = ownClock();
const user: User = { id: 'ann', email: 'ann@example.org', name: 'Ann', role: 'customer', tier: 'free' };
const keys = ['Box office', 'Backup'].map((name, index) => ({
  id: `key-${index}`,
  name,
  prefix: `mt_${index}`,
  createdAt: '2026-05-01T10:00:00Z',
}));

/** The keys that the API still has, and the requests that changed something. */
let left: typeof keys;
const writes: string[] = [];
beforeEach(() => {
  left = keys;
  writes.length = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const path = String(input).replace(/^https?:\/\/[^/]+/, '');
    if (init?.method !== 'DELETE') return Response.json({ items: left, nextCursor: null });
    writes.push(path);
    left = left.filter(({ id }) => !path.endsWith(`/${id}`));
    return new Response(null, { status: 204 });
  });
});
/** Lets requests be answered and their answers be drawn. */
const settle = async () => {
  for (let turn = 0; turn < 3; turn++) await pass(0);
};
const render = async () => {
  await renderPart(<UserApiKeys user={user} />);
  await settle();
};
const press = async (name: string) => {
  await click(within(screen.getByRole('dialog')).getByRole('button', { name }));
  await settle();
};

test('a user’s key is revoked after a confirmation that names the key and its owner', async () => {
  await render();
  await click(screen.getByRole('button', { name: 'Revoke Box office' }));
  expect(writes).toEqual([]);
  expect(screen.getByRole('dialog').textContent).toMatch(/Revoke “Box office”.*Ann/);
  await press('Revoke key');
  expect(writes).toEqual(['/v1/admin/users/ann/api-keys/key-0']);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByText('Box office')).toBeNull();
  screen.getByRole('button', { name: 'Revoke Backup' });
});

test('a key that its admin keeps is not revoked', async () => {
  await render();
  await click(screen.getByRole('button', { name: 'Revoke Backup' }));
  await press('Keep key');
  expect(writes).toEqual([]);
  expect(screen.queryByRole('dialog')).toBeNull();
  screen.getByRole('button', { name: 'Revoke Backup' });
});

test('a user without keys is said to have none', async () => {
  left = [];
  await render();
  screen.getByText('Ann has no API keys.');
});
