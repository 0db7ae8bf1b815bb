import { expect, test } from 'vitest';
import { stepPrinter } from './screen.mjs';
import { takeStep } from './steps.mjs';

test('without a terminal, a step is printed when it begins, and again with its result when it ends', async () => {
  const printed: string[] = [];
  const on = stepPrinter({ animate: false, print: (line) => printed.push(line.trim()) });
  let printedDuringStep: string[] = [];
  await takeStep(
    on,
    'Build',
    async () => {
      printedDuringStep = [...printed];
    },
    () => 'built',
  );
  expect(printedDuringStep).toEqual(['… Build']);
  expect(printed[1]).toMatch(/^✔ Build +built +\d+\.\d s$/);
});
