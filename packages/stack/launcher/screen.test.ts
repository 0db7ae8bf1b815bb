import { expect, test } from 'vitest';
import { stepPrinter } from './screen.mjs';
import { takeStep } from './steps.mjs';

test('without a terminal, a step is printed when it begins, and again with its result when it is done', async () => {
  const said: string[] = [];
  const on = stepPrinter({ moves: false, print: (line) => said.push(line.trim()) });
  let saidMeanwhile: string[] = [];
  await takeStep(
    on,
    'Build',
    async () => {
      saidMeanwhile = [...said];
    },
    () => 'built',
  );
  expect(saidMeanwhile).toEqual(['… Build']);
  expect(said[1]).toMatch(/^✔ Build +built +\d+\.\d s$/);
});
