import type { Chromium } from '@minitickets/stack/chromium';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** A person's own browser profile, watched for what must not happen. */
export interface Person {
  context: BrowserContext;
  /** What the browser complained about, and where it asked another host, so far. */
  complaints: string[];
}

/** Starts a browser that was found with `findChromium`. */
export async function startBrowser({ path, env }: Chromium): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  // In a container /dev/shm has 64 MB, which a page can exceed.
  args.push('--disable-dev-shm-usage');
  return await chromium.launch({ executablePath: path, env: { ...process.env, ...env }, args, timeout: 60_000 });
}

/** @param origin the only one that may be asked for anything */
export async function newPerson(browser: Browser, origin: string): Promise<Person> {
  const context = await browser.newContext({
    baseURL: origin,
    timezoneId: 'America/New_York',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 900 },
  });
  context.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  context.on('console', (message) => {
    // Another program of this machine brought a network interface up or down: nothing that a page could help.
    if (message.text().includes('ERR_NETWORK_CHANGED')) return;
    // A store that missed its deadline on a busy machine. The page asks again, and the journey checks what it then shows.
    if (message.text().includes('status of 503')) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`exception: ${error.error().message}`));
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`another host: ${request.url()}`);
  });
  return { context, complaints };
}

/** What axe-core finds wrong with a page in the light theme, and with its colours in the dark one: nothing else differs there. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  // Runs through the debugger, so the page's Content-Security-Policy stays what it is.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  for (const [colorScheme, options] of [
    ['light', {}],
    ['dark', { runOnly: ['color-contrast'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
      `axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })}).then((results) => results.violations)`,
    );
    for (const { id, nodes } of violations) {
      for (const { html, failureSummary } of nodes) found.push(`${colorScheme} ${id}: ${html} ${failureSummary}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** How far a page is wider than its window, in CSS pixels, at each of these window widths. */
export async function sidewaysScroll(page: Page, widths: readonly number[]): Promise<number[]> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  const over: number[] = [];
  for (const width of widths) {
    await page.setViewportSize({ ...before, width });
    over.push(
      await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    );
  }
  await page.setViewportSize(before);
  return over;
}
