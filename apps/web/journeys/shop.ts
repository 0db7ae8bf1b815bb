import { rm } from 'node:fs/promises';
import { type demoAccounts, demoPassword } from '@minitickets/contract';
import { copyOfPreparedData } from '@minitickets/stack/prepared-data';
import { type Stack, startStack } from '@minitickets/stack/stack';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, inject } from 'vitest';
import { accessibilityViolations, newPerson, sidewaysScroll, startBrowser } from './browser.ts';
import type {} from './global-setup.ts';

/**
 * Starts a whole shop and a browser for a file of journeys: pages, load balancer, three tasks, PostgreSQL, Redis, and on
 * request the lab. Without a browser on this machine, the file's tests are skipped.
 */
export function openShop({ lab = false }: { lab?: boolean } = {}) {
  const chromium = inject('chromium');
  let stack: Stack | undefined;
  let browser: Browser | undefined;
  let dataDir: string | undefined;

  beforeEach(({ skip }) => skip(chromium === undefined, 'Chromium is missing.'));

  beforeAll(async () => {
    if (!chromium) return;
    dataDir = copyOfPreparedData();
    [browser, stack] = await Promise.all([
      startBrowser(chromium),
      startStack({ dataDir, durable: false, seed: true, lab, host: '127.0.0.1' }),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.kill();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  });

  return {
    get url() {
      if (!stack) throw new Error('The shop is started in beforeAll: use it inside a test.');
      return stack.url;
    },
    /** Returns a new visitor: a fresh browser profile with one page. */
    async visitor() {
      if (!stack || !browser) throw new Error('The shop is started in beforeAll: use it inside a test.');
      const person = await newPerson(browser, stack.url);
      return { ...person, page: await person.context.newPage() };
    },
  };
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** Logs in through the log-in page as one of the demo accounts. */
export async function logIn(page: Page, account: (typeof demoAccounts)[number], returnTo = '/') {
  await page.goto(`/log-in?returnTo=${encodeURIComponent(returnTo)}`);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password').fill(demoPassword);
  await page.locator('form').getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(`**${returnTo}`);
}

/** Expects the page to be accessible in both themes and to fit every window width. */
export async function expectAccessible(page: Page) {
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await sidewaysScroll(page, [320, 390, 1280])).toEqual([0, 0, 0]);
}

/** Types into the page and expects it to handle every keystroke, and most of them at once. */
export async function expectPromptKeystrokes(page: Page) {
  await page.evaluate(
    "window.waits = []; document.addEventListener('keydown', (press) => waits.push(performance.now() - press.timeStamp))",
  );
  await page.keyboard.type('each one has to arrive', { delay: 20 });
  const waits = (await page.evaluate<number[]>('waits')).sort((a, b) => a - b);
  expect(waits).toHaveLength(22);
  // Generous for a busy machine; a page blocked by its own drawing exceeds it.
  expect(waits[11]).toBeLessThan(250);
}
