import { gzipSync } from 'node:zlib';
import { readCard } from '@minitickets/decisions/frame/card';
import { readLadder } from '@minitickets/decisions/ladder/read-ladder';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityViolations, sidewaysScroll } from './browser.ts';
import { expectPromptKeystrokes, heading, openShop } from './shop.ts';

/** Visitors read decisions, run them in a real lab, share runs and step through races, on a whole stack. */

const shop = openShop({ lab: true });

/** Expected texts come from the card, so that its author can rewrite it. */
const card = readCard('never-oversell');
const inWords = (markdown: string) => markdown.replace(/[`*_]/g, '').replace(/\s+/g, ' ');
const lastSentence = (markdown: string) =>
  inWords(markdown)
    .match(/[^.?!]+[.?!]$/)?.[0]
    .trim() ?? '';
const lastConstraint = inWords(card.constraints.split('\n- ').at(-1) ?? '');
const [counterQuestion] = card.counterQuestions.map(({ question, answer }) => ({
  question: inWords(question),
  answer: lastSentence(answer),
}));
if (!counterQuestion) throw new Error('The card has no counter-question.');

/** Expects accessibility at phone and desktop widths, which show different parts. */
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

/** Opens the answer. It works before the scripts are loaded, too. */
const unfold = (page: Page) => page.getByText('Show the answer', { exact: true }).click();

const step = (page: Page) => page.getByRole('slider', { name: 'Step' });

test('a reader goes from the home page to a decision, guesses, runs the experiment and reads the verdict', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/');
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Decisions/ })
    .click();
  await heading(page, 'Decisions').waitFor();
  await page.getByRole('heading', { level: 3 }).getByRole('link', { name: card.title }).click();
  await heading(page, card.title).waitFor();
  await page.getByText(lastConstraint).waitFor();
  const ours = page.getByText(lastSentence(card.inThirtySeconds));
  expect(await ours.isVisible()).toBe(false);
  await page.getByLabel(/^Write your answer/).fill('Lock the event first.');
  await unfold(page);
  await ours.waitFor();
  await page.getByRole('button', { name: 'I missed it' }).click();
  await page.getByText(counterQuestion.question).click();
  await page.getByText(counterQuestion.answer).waitFor();

  await page.getByLabel(/How many does a shop give out/).fill('many');
  await page.getByRole('button', { name: 'Run experiment' }).click();
  await page.getByText('Enter a number, such as 20.').waitFor();
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('predicted');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('20');
  await page.getByText('Your guess: 20').waitFor();
  await page.getByRole('button', { name: 'Run experiment' }).focus();
  await page.keyboard.press('Enter');
  // The focus moves from the removed button to the next one.
  await expect.poll(() => focused(page)).toBe('Cancel run');
  await page.getByRole('main').getByText('You guessed 20. It was 30.').waitFor({ timeout: 60_000 });
  await expect.poll(() => focused(page)).toBe('Verdict');
  await page.getByText('Proved', { exact: true }).waitFor();
  await page.getByRole('main').getByText('The shipped design is correct in every measure.').waitFor();
  const naive = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Read then write' }) });
  await naive.getByText('30 served').waitFor();
  await naive.getByRole('row', { name: /tickets given out in the rush, of 20 20 30 30 wrong, as expected/ }).waitFor();
  await naive.getByText('Diff: 2 lines').click();
  await naive.getByText('for no key update').waitFor();
  await expectFitOnEveryWidth(page);

  // The URL alone replays the run for another visitor, who did not make the guess.
  const other = await shop.visitor();
  const { pathname, search } = new URL(page.url());
  for (const width of [390, 1280]) {
    await other.page.setViewportSize({ width, height: 800 });
    await other.page.goto('/decisions');
    await other.page.goto(`${pathname}${search}`);
    await other.page.getByRole('main').getByText('The guess was 20. It was 30.').waitFor();
    const shared = other.page.getByText('Shared run');
    await expect.poll(async () => isInView(other.page, (await shared.boundingBox())?.y)).toBe(true);
    expect(await focused(other.page)).not.toBe('Verdict');
  }
  await other.page.getByText('30 served').first().waitFor();
  await other.page.goto('/decisions');
  await other.page.getByText('Proved').first().waitFor();

  // The first reader's answer, mark and progress are kept, and the answer is folded again.
  await page.goto('/decisions');
  await page.getByText(/^Answered in writing: 1 of \d+\. Answers seen: 1\. Due for review: none\./).waitFor();
  await page.getByText('You missed it').waitFor();
  await page.goto('/decisions/never-oversell');
  await expect.poll(() => page.getByLabel(/^Write your answer/).inputValue()).toBe('Lock the event first.');
  expect(await ours.isVisible()).toBe(false);
  expect([...complaints, ...other.complaints]).toEqual([]);
});

test('a reader searches the decisions, prints the answers, and has them always shown', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/decisions', { waitUntil: 'networkidle' });
  await page.getByLabel('Search decisions').fill('pessimistic locking');
  await page
    .getByRole('status')
    .filter({ hasText: /^\d of \d+ decisions match\.$/ })
    .waitFor();
  await page.getByRole('heading', { level: 3 }).getByRole('link', { name: card.title }).waitFor();
  await page.getByRole('link', { name: 'Print all answers in 30 seconds' }).click();
  await page.getByText(lastSentence(card.inThirtySeconds)).waitFor();
  await page.goBack();
  await page.getByLabel('Always show answers').check();
  await page.goto('/decisions/never-oversell');
  await page.getByText(lastSentence(card.inThirtySeconds)).waitFor();
  await page.getByLabel('Always show answers').uncheck();
  await page.goto('/decisions/never-oversell#in-depth');
  await page.getByText(lastSentence(card.inDepth)).waitFor();
  expect(complaints).toEqual([]);
});

test('the list of decisions and a card are accessible on every width and in both themes', async () => {
  const { page } = await shop.visitor();
  for (const address of ['/decisions', '/decisions/answers', '/decisions/double-click', '/decisions/ladder']) {
    await page.goto(address, { waitUntil: 'networkidle' });
    await expectFitOnEveryWidth(page);
  }
});

test('a reader climbs the ladder: the answers, and the laws that a limiter breaks, are folded until asked for', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/decisions');
  await page.getByRole('link', { name: 'the ladder' }).click();
  await heading(page, readLadder().title).waitFor();
  const published = page.getByRole('region', { name: /^1\. published/ });
  await published.getByText('HSETNX').waitFor();
  const fault = published.getByText('The refill point is never written back.', { exact: false });
  expect(await fault.isVisible()).toBe(false);
  await published.getByText('Answer, and the laws that published keeps').click();
  await fault.waitFor();
  await published.getByText(/^Law 5: every key expires/).waitFor();
  await expectFitOnEveryWidth(page);
  expect(complaints).toEqual([]);
});

test('a queued run shows its place in the queue and can be cancelled before it starts', async () => {
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
  await unfold(page);
  const before = [await post(), await post(), await post()];
  await page.getByRole('button', { name: 'Run experiment' }).click();
  await page.getByText(/^Queued: \d ahead\.|^Queued: next in line\./).waitFor();
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByText('The run was cancelled', { exact: true }).waitFor();
  for (const { id } of before) await fetch(`${shop.url}/lab/runs/${id}`, { method: 'DELETE' });
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('button', { name: 'Run experiment' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a link to an unknown run says so and leads to the experiment', async () => {
  const { page } = await shop.visitor();
  await page.goto('/decisions/shared-policy?run=01890a5d-ac96-774b-bcce-b302099a8057');
  await page.getByText('This run is no longer available').waitFor();
  await page.getByRole('button', { name: 'Go to experiment' }).click();
  await page.getByRole('button', { name: 'Run experiment' }).waitFor();
});

test('a reader steps through a race by keyboard, forwards, backwards, to its end and to its start', async () => {
  const { page, complaints } = await shop.visitor();
  await page.goto('/decisions/never-oversell');
  await unfold(page);
  // This text appears once the scripts run; keys do nothing before.
  await page.getByText(/^Not run here yet|Last run on/).waitFor();
  await page.getByRole('button', { name: 'Next step' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => step(page).inputValue()).toBe('1');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => step(page).inputValue()).toBe('1');
  await page.getByText('Outcome: shown at the last step.').waitFor();
  await page.keyboard.press('End');
  await page.locator('#race strong', { hasText: 'tickets given out: 2, of 1.' }).waitFor();
  const last = await step(page).getAttribute('max');
  await expect.poll(() => step(page).inputValue()).toBe(last);
  await page.keyboard.press('Home');
  await expect.poll(() => step(page).inputValue()).toBe('0');
  // The slider handles the same keys itself.
  await step(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => step(page).inputValue()).toBe('1');

  await page.getByRole('radio', { name: 'The shipped design' }).check();
  await page.getByRole('button', { name: 'Next step' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('No result yet: waiting for a lock.').waitFor();
  await page.getByText(/^B is first in the queue for the row of events/).waitFor();
  await page.getByText(/^B waits until the other transaction ends/).waitFor();
  await expectFitOnEveryWidth(page);
  expect(complaints).toEqual([]);
});

test('the list and every part of a card are readable without JavaScript', async () => {
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
  await page.getByText(lastConstraint).waitFor();
  await unfold(page);
  for (const text of [
    lastSentence(card.inThirtySeconds),
    lastSentence(card.inDepth),
    lastSentence(card.costs),
    /holds\.ts, line/,
  ]) {
    await page.getByText(text).first().waitFor();
  }
  await page.getByText(counterQuestion.question).click();
  await page.getByText(counterQuestion.answer).waitFor();
  await page.getByText('npm run experiment -- never-oversell', { exact: true }).first().waitFor();
  // The race is a list, without the player that needs scripts.
  await page.locator('#race ol').last().waitFor();
  const race = await page.locator('#race noscript').textContent();
  expect(race).toMatch(/A locks the event’s row\. Result: the event is on_sale\./);
  expect(race).toContain('tickets given out: 2, of 1.');
  expect(race).toContain('tickets given out: 1, of 1.');
  expect(await page.getByRole('button', { name: /Play|Next step/ }).count()).toBe(0);
  expect((await page.locator('body > noscript').boundingBox())?.y).toBeLessThan(100);
  expect(complaints).toEqual([]);
  await context.close();
});

test('every decision has its own link-preview metadata and an image of the right size', async () => {
  const list = await (await fetch(`${shop.url}/decisions`)).text();
  const addresses = ['/', '/decisions', ...new Set(list.match(/\/decisions\/[a-z-]+(?=")/g))];
  expect(addresses.length).toBeGreaterThan(8);
  const titles = new Set<string>();
  for (const address of addresses) {
    const answer = await fetch(`${shop.url}${address}`);
    const html = await answer.text();
    const content = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]+)"`).exec(html)?.[1];
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    // Nothing in the page violates the Content-Security-Policy.
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

test('hydration shifts no layout, and the home page’s scripts stay small', async () => {
  const { page } = await shop.visitor();
  for (const [width, address] of [
    [1280, '/decisions'],
    [1280, '/decisions/never-oversell'],
    [320, '/decisions/never-oversell'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(address, { waitUntil: 'networkidle' });
    const layoutShift = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      const add = (entries) => { for (const entry of entries) sum += entry.value; };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => { add(observer.takeRecords()); resolve(sum); }));
    })`);
    expect(layoutShift).toBeLessThan(0.02);
  }

  const html = await (await fetch(`${shop.url}/`)).text();
  const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path);
  expect(scripts.length).toBeGreaterThan(0);
  let bytes = 0;
  for (const path of scripts) bytes += gzipSync(await (await fetch(`${shop.url}${path}`)).text()).length;
  expect(bytes).toBeLessThan(130_000);
});

test('hydration keeps what a reader opened, focused and typed before the scripts loaded', async () => {
  const { page, complaints } = await shop.visitor();
  let releaseScripts = () => {};
  const scripts = new Promise<void>((resolve) => {
    releaseScripts = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await scripts;
    await route.continue();
  });
  await page.goto('/decisions/never-oversell', { waitUntil: 'commit' });
  await unfold(page);
  await page.getByText(counterQuestion.question).click();
  const guess = page.getByLabel(/How many does a shop give out/);
  await guess.pressSequentially('30');
  releaseScripts();
  // This text appears once the scripts run.
  await page.getByText(/^Not run here yet|Last run on/).waitFor();
  await page.getByText(counterQuestion.answer).waitFor();
  expect(await guess.inputValue()).toBe('30');
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('predicted');
  await page.getByRole('button', { name: 'Run experiment' }).click();
  await page.getByRole('main').getByText('You guessed 30, which is exactly right.').waitFor({ timeout: 60_000 });
  expect(complaints).toEqual([]);
});

test('an experiment is drawn without losing or delaying a keystroke', async () => {
  const { page } = await shop.visitor();
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/decisions/shared-policy');
  await unfold(page);
  await page.getByRole('button', { name: 'Run experiment' }).click();
  await page
    .getByText(/served ·/)
    .first()
    .waitFor({ timeout: 60_000 });
  await expectPromptKeystrokes(page);
});
