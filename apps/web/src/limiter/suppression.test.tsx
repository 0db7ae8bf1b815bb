import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { createDrive } from './drive.ts';
import { SuppressionCard } from './suppression.tsx';

ownClock();

test('a ban is listed by its length alone, because only the server knows its ban number', async () => {
  const drive = createDrive(() => Promise.reject(new Error('no request is sent in this test')));
  const bans = [
    { at: 0, ms: 6000 },
    { at: 9000, ms: 12_000 },
  ];
  await renderPart(
    <SuppressionCard
      call={{ tier: 'free', sentAs: 'address', cost: 1, whenAway: 'local', apiKey: '' }}
      drive={drive}
      summary={{ ...drive.read(), bans }}
    />,
  );
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Banned for6 seconds',
    'Banned for12 seconds',
  ]);
});
