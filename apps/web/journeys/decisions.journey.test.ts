import { gzipSync } from 'node:zlib';
import { readCard } from '@minitickets/decisions/frame/card';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityViolations, sidewaysScroll } from './browser.ts';
import { heading, openShop } from './shop.ts';

/** Decisions, read, run in a real lab, shared, and stepped through, on a whole stack. */

const shop = openShop({ lab: true });

/** What the pages show of a card is compared with the card, so that its author may rewrite it. */
const card = readCard('never-oversell');
const inWords = (markdown: string) => markdown.replace(/[`*_]/g, '').replace(/\s+/g, ' ');
const lastSentence = (markdown: string) =>
  inWords(markdown)
    .match(/[^.?!]+[.?!]$/)?.[0]
    .trim() ?? '';
const [counterQuestion] = card.counterQuestions.map(({ question, answer }) => ({
  question: inWords(question),
  answer: lastSentence(answer),
}));
if (!counterQuestion) throw new Error('The card has no counter-question.');

/** Also on a phone, where other parts are shown. */
async function expectFitOnEveryWidth(page: Page) {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ ...before, width });
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  await page.setViewportSize(before);
  expect(await sidewaysScroll(page, [320, 390, 1280])).toEqual([0, 0, 0]);
}

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
const isInView = (page: Page, top = -1) => top >= 0 && top < (page.viewportSize()?.height ?? 0);

const step = (page: Page) => page.getByRole('slider', { name: 'Step' });

test('a reader goes from the first page to a decision, guesses, runs it, and is told what came of it', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/');
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Decisions/ })
    .click();
  await heading(page, 'Decisions').waitFor();
  await page.getByRole('heading', { level: 3 }).getByRole('link', { name: card.title }).click();
  await heading(page, card.title).waitFor();
  await page.getByText(lastSentence(card.inThirtySeconds)).waitFor();
  await page.getByText(counterQuestion.question).click();
  await page.getByText(counterQuestion.answer).waitFor();

  await page.getByLabel(/How many does a shop give out/).fill('many');
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByText('A number, as in 20.').waitFor();
  await page.getByLabel(/How many does a shop give out/).fill('20');
  await page.keyboard.press('Enter');
  // The focus goes from what is gone to what is next.
  await expect.poll(() => focused(page)).toBe('Cancel');
  await page.getByRole('main').getByText('You said 20. It was 30.').waitFor({ timeout: 60_000 });
  await expect.poll(() => focused(page)).toBe('The verdict');
  await page.getByText('Proved', { exact: true }).waitFor();
  await page.getByRole('main').getByText('What is shipped holds in all that was measured.').waitFor();
  const naive = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Read then write' }) });
  await naive.getByText('30 served').waitFor();
  await naive.getByRole('row', { name: /tickets given out in the rush, of 20 20 30 30 wrong, as expected/ }).waitFor();
  await naive.getByText('The difference: 2 lines').click();
  await naive.getByText('for no key update').waitFor();
  await expectFitOnEveryWidth(page);

  // The address alone shows somebody else the same run, drawn anew, as what somebody else has guessed.
  const other = await shop.visitor();
  const { pathname, search } = new URL(page.url());
  for (const width of [390, 1280]) {
    await other.page.setViewportSize({ width, height: 800 });
    await other.page.goto('/decisions');
    await other.page.goto(`${pathname}${search}`);
    await other.page.getByRole('main').getByText('The guess was 20. It was 30.').waitFor();
    const shared = other.page.getByText('A run that somebody shared');
    await expect.poll(async () => isInView(other.page, (await shared.boundingBox())?.y)).toBe(true);
    expect(await focused(other.page)).not.toBe('The verdict');
  }
  await other.page.getByText('30 served').first().waitFor();
  await other.page.goto('/decisions');
  await other.page.getByText('Proved').first().waitFor();
  expect([...complaints, ...other.complaints]).toEqual([]);
});

test('the list and a card are for everybody, on every width and in both themes', async () => {
  const { page } = await shop.visitor();
  for (const address of ['/decisions', '/decisions/double-click']) {
    await page.goto(address, { waitUntil: 'networkidle' });
    await expectFitOnEveryWidth(page);
  }
});

test('a run that waits says so, and is cancelled without ever having begun', async () => {
  const { page, complaints } = await shop.visitor();
  const post = async () =>
    (await (
      await fetch(`${shop.url}/lab/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ experiment: 'never-undersell' }),
      })
    ).json()) as { id: string };
  await page.goto('/decisions/shared-policy');
  const before = [await post(), await post(), await post()];
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByText(/^Queued: \d before it\.|^Queued: it is next\./).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The run was cancelled', { exact: true }).waitFor();
  for (const { id } of before) await fetch(`${shop.url}/lab/runs/${id}`, { method: 'DELETE' });
  await page.getByRole('button', { name: 'Run it again' }).click();
  await page.getByRole('button', { name: 'Run it now' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a link to a run that nobody keeps says so, and leads to the experiment', async () => {
  const { page } = await shop.visitor();
  await page.goto('/decisions/shared-policy?run=01890a5d-ac96-774b-bcce-b302099a8057');
  await page.getByText('This run is not kept here').waitFor();
  await page.getByRole('button', { name: 'To the experiment' }).click();
  await page.getByRole('button', { name: 'Run it now' }).waitFor();
});

test('a race is stepped through by keyboard, forwards and backwards, to its end and from its beginning', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/decisions/never-oversell');
  // The lab answers only who has a script, and keys do nothing before.
  await page.getByText(/It was not run here yet|Last run on/).waitFor();
  await page.getByRole('button', { name: 'One step on' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => step(page).inputValue()).toBe('1');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => step(page).inputValue()).toBe('1');
  await page.getByText('How it ends: the last step shows it.').waitFor();
  await page.keyboard.press('End');
  await page.locator('#race strong', { hasText: 'tickets given out: 2, of 1.' }).waitFor();
  const last = await step(page).getAttribute('max');
  await expect.poll(() => step(page).inputValue()).toBe(last);
  await page.keyboard.press('Home');
  await expect.poll(() => step(page).inputValue()).toBe('0');
  // The slider has the same keys by itself.
  await step(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => step(page).inputValue()).toBe('1');

  await page.getByRole('radio', { name: 'What is shipped' }).check();
  await page.getByRole('button', { name: 'One step on' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('No answer yet: it waits for a lock.').waitFor();
  await page.getByText(/^B is next in line for the row of events/).waitFor();
  await page.getByText(/^B waits until the other transaction ends/).waitFor();
  await expectFitOnEveryWidth(page);
  expect(complaints).toEqual([]);
});

test('without JavaScript all of a card and of the list can be read', async () => {
  const { page: withScript } = await shop.visitor();
  const browser = withScript.context().browser();
  if (!browser) throw new Error('a visitor has a browser');
  const context = await browser.newContext({ baseURL: shop.url, javaScriptEnabled: false });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto('/decisions');
  await page.getByText(lastSentence(card.question)).waitFor();
  await page.getByRole('heading', { level: 3 }).getByRole('link', { name: card.title }).click();
  await heading(page, card.title).waitFor();
  for (const text of [lastSentence(card.inDepth), lastSentence(card.costs), /holds\.ts, line/]) {
    await page.getByText(text).first().waitFor();
  }
  await page.getByText(counterQuestion.question).click();
  await page.getByText(counterQuestion.answer).waitFor();
  await page.getByText('npm run experiment -- never-oversell', { exact: true }).first().waitFor();
  // The race as a list, with no player that would not play.
  await page.locator('#race ol').last().waitFor();
  const race = await page.locator('#race noscript').textContent();
  expect(race).toMatch(/A locks the event’s row\. Answer: the event is on_sale\./);
  expect(race).toContain('tickets given out: 2, of 1.');
  expect(race).toContain('tickets given out: 1, of 1.');
  expect(await page.getByRole('button', { name: /Play|One step/ }).count()).toBe(0);
  expect((await page.locator('body > noscript').boundingBox())?.y).toBeLessThan(100);
  expect(complaints).toEqual([]);
  await context.close();
});

test('every decision has a page of its own for who shows previews, with an image of the right size', async () => {
  const list = await (await fetch(`${shop.url}/decisions`)).text();
  const addresses = ['/', '/decisions', ...new Set(list.match(/\/decisions\/[a-z-]+(?=")/g))];
  expect(addresses.length).toBeGreaterThan(8);
  const titles = new Set<string>();
  for (const address of addresses) {
    const answer = await fetch(`${shop.url}${address}`);
    const html = await answer.text();
    const content = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]+)"`).exec(html)?.[1];
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    // What the one Content-Security-Policy would refuse is not there.
    expect(html).not.toMatch(/<script>|<style|\sstyle="|\son\w+="/);
    expect(html).toContain(`<link rel="canonical" href="${shop.url}${address}" />`);
    expect(content('description')?.length).toBeGreaterThan(30);
    expect(content('og:title')).toBe(content('twitter:title'));
    titles.add(content('og:title') ?? '');
    for (const name of ['og:image', 'twitter:image']) {
      const image = Buffer.from(await (await fetch(content(name) ?? '')).arrayBuffer());
      expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630]);
    }
  }
  expect(titles.size).toBe(addresses.length);
});

test('nothing moves when the scripts take a page over, and the first page’s scripts stay small', async () => {
  const { page } = await shop.visitor();
  for (const [width, address] of [
    [1280, '/decisions'],
    [1280, '/decisions/never-oversell'],
    [320, '/decisions/never-oversell'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(address, { waitUntil: 'networkidle' });
    const moved = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      const add = (entries) => { for (const entry of entries) sum += entry.value; };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => { add(observer.takeRecords()); resolve(sum); }));
    })`);
    expect(moved).toBeLessThan(0.02);
  }

  const html = await (await fetch(`${shop.url}/`)).text();
  const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path);
  expect(scripts.length).toBeGreaterThan(0);
  let bytes = 0;
  for (const path of scripts) bytes += gzipSync(await (await fetch(`${shop.url}${path}`)).text()).length;
  expect(bytes).toBeLessThan(130_000);
});

test('what a reader opens, focuses and types before the scripts have come stays as it is', async () => {
  const { page, complaints } = await shop.visitor();
  let come = () => {};
  const scripts = new Promise<void>((resolve) => {
    come = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await scripts;
    await route.continue();
  });
  await page.goto('/decisions/never-oversell', { waitUntil: 'commit' });
  await page.getByText(counterQuestion.question).click();
  const guess = page.getByLabel(/How many does a shop give out/);
  await guess.pressSequentially('30');
  come();
  // The lab answers only who has a script.
  await page.getByText(/It was not run here yet|Last run on/).waitFor();
  await page.getByText(counterQuestion.answer).waitFor();
  expect(await guess.inputValue()).toBe('30');
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('predicted');
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByRole('main').getByText('You said 30, and it is exactly so.').waitFor({ timeout: 60_000 });
  expect(complaints).toEqual([]);
});

test('an experiment is drawn without a keystroke being lost or felt', async () => {
  const { page } = await shop.visitor();
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/decisions/shared-policy');
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page
    .getByText(/served ·/)
    .first()
    .waitFor({ timeout: 60_000 });
  // How long a keystroke waits for the page, from when the browser took it.
  await page.evaluate(
    "window.waits = []; document.addEventListener('keydown', (press) => waits.push(performance.now() - press.timeStamp))",
  );
  await page.keyboard.type('each one has to arrive', { delay: 20 });
  const waits = (await page.evaluate<number[]>('waits')).sort((one, other) => one - other);
  expect(waits).toHaveLength(22);
  // Generous: a busy machine is no fault of the page, and a page that is blocked by its drawing waits longer than this.
  expect(waits[11]).toBeLessThan(250);
});
