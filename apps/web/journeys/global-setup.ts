import { type Chromium, chromiumInstallHint, findChromium } from '@minitickets/stack/chromium';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The browser of the journeys, undefined if this machine has none. */
    chromium: Chromium | undefined;
  }
}

/** Finds or downloads the browser once per run. Without one, the journeys are skipped and the run's last lines say so. */
export default async function setup(project: TestProject) {
  const chromium = await findChromium({ log: console.log });
  project.provide('chromium', chromium);
  if (chromium) return console.log(`Browser: ${chromium.from}`);
  const missing = `Chromium is missing, so the journeys through the pages were not run. To run them: ${chromiumInstallHint()}; then npm test -- --project journeys`;
  if (process.env.CI) throw new Error(missing);
  return () => console.log(`\n${missing}`);
}
