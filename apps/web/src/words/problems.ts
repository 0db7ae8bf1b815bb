import type { ProblemCode } from '@minitickets/contract';
import type { ApiProblem, LocalCode } from '../api/client.ts';
import { withTimesOf } from './dates.ts';

/** What the user was doing when the request failed. */
export type UserAction =
  | 'reading'
  | 'holding'
  | 'paying'
  | 'cancelling'
  | 'logging_in'
  | 'registering'
  | 'logging_out'
  | 'changing'
  | 'checking_in';

/** The step that helps next. `wait` needs a known instant to wait for; `again` can be tried at once. */
export type NextStep = 'log_in' | 'wait' | 'again' | 'reload' | 'other_choice' | 'none';

export interface Explanation {
  title: string;
  text: string;
  next: NextStep;
}

type Entry = Explanation | ((action: UserAction, detail: string) => Explanation);

const say = (title: string, text: string, next: NextStep): Explanation => ({ title, text, next });

/** What is certain when the API refused the request before doing anything. */
const nothingHappened: Record<UserAction, string> = {
  reading: 'Nothing is lost.',
  holding: 'Nothing was held.',
  paying: 'Nothing was charged, and your tickets are still held.',
  cancelling: 'Nothing was cancelled.',
  logging_in: 'Your password was not checked.',
  registering: 'No account was created.',
  logging_out: 'You are still logged in.',
  changing: 'Nothing was changed.',
  checking_in: 'Nobody was admitted.',
};

/** What is known when no response arrived: the request may or may not have been carried out. */
const unknownOutcome: Record<UserAction, string> = {
  reading: 'Check your connection. This page retries by itself.',
  holding: 'Your tickets may already be held. It is safe to try again: the request is carried out only once.',
  paying: 'The payment may have gone through. It is safe to try again: you are charged once.',
  cancelling: 'The booking may already be cancelled. It is safe to try again: a booking is cancelled once.',
  logging_in: 'It is safe to try again.',
  registering: 'Your account may have been created. Try again; if the e-mail is already taken, log in instead.',
  logging_out: 'You may still be logged in. Try again before you leave this computer.',
  changing: 'The change may have been saved. Check its current state before you try again.',
  checking_in: 'The ticket may have been admitted. Scan it again to find out: a ticket admits once.',
};

/** What is known after a server-side failure, which may have come before or after the change. */
const afterFailure: Record<UserAction, string> = {
  reading: 'This page retries by itself.',
  holding: 'It is safe to try again: your tickets are held once.',
  paying: 'It is safe to try again: you are charged once.',
  cancelling: 'It is safe to try again: a booking is cancelled once.',
  logging_in: 'You are not logged in yet.',
  registering: 'Try again; if the e-mail is already taken, your account was created: log in.',
  logging_out: 'You may still be logged in.',
  changing: 'Check the current state before you try again.',
  checking_in: 'It is safe to try again: a ticket admits once.',
};

/** Which limit was reached: the title, and whose requests share it. */
const limitReached: Record<UserAction, [title: string, whoShares: string]> = {
  reading: ['Too many requests', 'You loaded pages faster than the shop allows.'],
  holding: ['Too many booking requests', 'The limit counts all your tabs and devices.'],
  paying: ['Too many requests', 'The limit counts all your tabs and devices.'],
  cancelling: ['Too many requests', 'The limit counts all your tabs and devices.'],
  logging_in: ['Too many log-in attempts', 'Everyone on your network shares this limit.'],
  registering: ['Too many registrations', 'Everyone on your network shares this limit.'],
  logging_out: ['Too many requests', 'Your account sent requests faster than the shop allows.'],
  changing: ['Too many requests', 'Your account sent requests faster than the shop allows.'],
  checking_in: ['Too many requests', 'Your account sent requests faster than the shop allows.'],
};

const stillWorks = (action: UserAction) =>
  `Held tickets stay held until their time is up, and paid tickets stay valid.${action === 'reading' ? '' : ' You can still browse events.'}`;

const outdatedPage = say(
  'The shop did not understand this request',
  'Reload the page: it may be out of date.',
  'reload',
);

const entries: Record<ProblemCode | LocalCode, Entry> = {
  validation_failed: say('Some fields are not valid', 'Correct the marked fields and try again.', 'other_choice'),
  malformed_request: outdatedPage,
  method_not_allowed: outdatedPage,
  request_timeout: say(
    'The request did not arrive in time',
    'Your connection may be slow. Nothing was changed: try again.',
    'again',
  ),
  misdirected_request: say(
    'This is not the shop’s address',
    'Open the shop at the address that its operator gave you.',
    'none',
  ),
  uri_too_long: say('The address is too long', 'Shorten the search or the link and try again.', 'other_choice'),
  headers_too_large: say(
    'Your browser sent too many cookies',
    'Delete this site’s cookies in your browser, then reload the page.',
    'reload',
  ),
  unauthenticated: (action) =>
    say(
      'Log in first',
      action === 'holding' ? 'You will return to this page, and your choice is kept.' : 'You will return to this page.',
      'log_in',
    ),
  invalid_credentials: say(
    'Unknown e-mail or wrong password',
    'Check both. For your security, we do not say which one is wrong.',
    'other_choice',
  ),
  login_locked: say(
    'Too many failed log-ins',
    'Log in from a browser in which you have logged in before, or ask the shop’s operator to unlock your account.',
    'other_choice',
  ),
  payment_declined: say(
    'The payment was declined',
    'Nothing was charged, and your tickets are still held. Choose another way to pay.',
    'other_choice',
  ),
  forbidden: say('Your account cannot do this', 'Log in with an account that has access.', 'none'),
  cross_origin: say(
    'Blocked for your security',
    'This request did not come from the shop’s own address. Open the shop at its usual address and try again.',
    'reload',
  ),
  not_found: say('Not found', 'It may have been removed, or the address may be mistyped.', 'none'),
  email_taken: say('This e-mail already has an account', 'Log in, or register with another address.', 'other_choice'),
  slug_taken: say('Another event already has this address', 'Choose a different one.', 'other_choice'),
  sold_out: say(
    'Not enough tickets left',
    'Nothing was held: you get all the tickets you chose or none. Choose fewer or another type. Tickets that others do not pay for come back on sale within minutes.',
    'other_choice',
  ),
  user_limit_reached: (_doing, detail) =>
    say(
      'That is more than the limit per person',
      `${detail || 'The event has a limit per person.'} Nothing was held. Your held and paid tickets count together: choose fewer, or check your bookings.`,
      'other_choice',
    ),
  sales_not_open: say('The sale has not opened yet', 'Nothing was held. The countdown shows when it opens.', 'wait'),
  sales_closed: say('The sale is closed', 'Nothing was held. Tickets for this event are no longer sold here.', 'none'),
  event_not_on_sale: (action) =>
    say(
      'This event is not on sale',
      action === 'paying'
        ? 'The organiser took it off sale or cancelled it. If you were charged, you get a full refund.'
        : 'Nothing was held. The organiser took it off sale or cancelled it.',
      'none',
    ),
  hold_expired: say(
    'Your hold has expired',
    'The time to pay is up and your tickets are back on sale. If a payment was already on its way, you get the tickets if they are still available, or a full refund. You can choose again.',
    'other_choice',
  ),
  booking_not_payable: say(
    'This booking can no longer be paid',
    'It was already paid, was cancelled or has expired, perhaps in another tab. If a charge came too late, you get a full refund. This page now shows its current state.',
    'none',
  ),
  booking_not_cancellable: say(
    'This booking can no longer be cancelled',
    'It was already cancelled, it has expired, or the event has started. This page now shows its current state.',
    'none',
  ),
  payment_in_progress: say(
    'A payment is already in progress',
    'The payment provider has not responded yet. This page shows the result as soon as it arrives; you are charged once.',
    'wait',
  ),
  already_checked_in: (_doing, detail) => say('This ticket was already used', detail || 'It admits once.', 'none'),
  ticket_not_valid: (_doing, detail) =>
    say('This ticket is not valid', detail || 'Its booking was cancelled, or the code is not from this shop.', 'none'),
  change_not_possible: (_doing, detail) =>
    say('This change is not possible', detail || 'More tickets are already sold than it would leave.', 'other_choice'),
  audit_in_progress: say(
    'An audit is already running',
    'Another operator just started one, and only one runs at a time. It finishes within seconds.',
    'wait',
  ),
  idempotency_in_progress: say(
    'Your first click is still being processed',
    'Wait for its result: the request is carried out once.',
    'again',
  ),
  idempotency_key_reused: say('Your choice changed between two clicks', 'Nothing was done twice. Try again.', 'again'),
  too_large: say('That is too long', 'Shorten what you typed and try again.', 'other_choice'),
  unsupported_media_type: outdatedPage,
  rate_limited: (action) => {
    const [title, whoShares] = limitReached[action];
    return say(title, `${whoShares} ${nothingHappened[action]}`, 'wait');
  },
  suppressed: (action) =>
    say(
      'Temporarily blocked',
      `Requests kept coming after the limit was reached. Wait until the time is up: trying earlier does not extend the block. ${nothingHappened[action]}`,
      'wait',
    ),
  cost_above_capacity: say(
    'That is more than the limit allows at once',
    'Waiting does not help. Ask for less.',
    'other_choice',
  ),
  internal_error: (action) =>
    say('Something went wrong on our side', `The error was logged. ${afterFailure[action]}`, 'again'),
  store_unavailable: (action) =>
    say('Part of the shop is not responding', `${afterFailure[action]} ${stillWorks(action)}`, 'again'),
  busy: (action) =>
    say(
      'The shop is very busy',
      `Your request waited too long in the queue. ${afterFailure[action]} ${stillWorks(action)}`,
      'again',
    ),
  outcome_unknown: (action) => say('The shop did not respond', unknownOutcome[action], 'again'),
  pause_not_possible: (_doing, detail) =>
    say('Redis cannot be paused now', detail || 'It is already paused, or an experiment needs it.', 'wait'),
  lab_busy: say(
    'The lab’s queue is full',
    'The lab runs one experiment at a time, and its queue is full. Your run was not queued: try again when one has finished.',
    'wait',
  ),
  lab_not_running: say(
    'The lab is not running',
    'Run the experiment on the command line instead. Everything else works without the lab.',
    'again',
  ),
  connection_lost: (action) => say('The connection was lost', unknownOutcome[action], 'again'),
  deadline_passed: (action) => say('The shop did not respond in time', unknownOutcome[action], 'again'),
  unreadable_answer: (action) => say('The shop could not be reached', unknownOutcome[action], 'again'),
};

/**
 * Explains a problem in words that fit what the user was doing. A code that these pages do not know keeps the API's own
 * title and detail.
 * @param timeZone the event's IANA time zone: times are shown in it, or else in the reader's
 */
export function explain(
  problem: Pick<ApiProblem, 'code' | 'title' | 'detail' | 'status'>,
  action: UserAction,
  timeZone?: string,
): Explanation {
  const detail = withTimesOf(timeZone, problem.detail);
  if (!Object.hasOwn(entries, problem.code)) {
    return say(problem.title, detail, problem.status >= 500 ? 'again' : 'none');
  }
  const entry = entries[problem.code];
  return typeof entry === 'function' ? entry(action, detail) : entry;
}
