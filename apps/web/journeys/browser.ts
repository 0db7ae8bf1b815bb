import type { Chromium } from '@minitickets/stack/chromium';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** A browser profile of one person, with everything that must not happen in it. */
export interface Person {
  context: BrowserContext;
  /** Console errors and warnings, exceptions, and requests to other hosts so far. */
  complaints: string[];
}

/** Starts the browser that `findChromium` found. */
export async function startBrowser({ path, env }: Chromium): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  // In a container /dev/shm has 64 MB, which a page can exceed.
  args.push('--disable-dev-shm-usage');
  return await chromium.launch({ executablePath: path, env: { ...process.env, ...env }, args, timeout: 60_000 });
}

/** @param origin the only origin that pages may send requests to */
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
    // A network interface of this machine went up or down, which is no fault of the page.
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

/** Returns axe-core's violations in the light theme, and those of colour contrast in the dark one, where nothing else differs. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  // Evaluated through the debugger, so the page's Content-Security-Policy stays in force.
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

/** Returns how many CSS pixels a page is wider than its window, at each of these window widths. */
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
