import type { ProblemCode } from '@minitickets/contract';
import type { ApiProblem, LocalCode } from '../api/client.ts';
import { withTimesOf } from './dates.ts';

/** What the reader was doing when it was refused. */
export type Doing =
  | 'reading'
  | 'holding'
  | 'paying'
  | 'cancelling'
  | 'logging_in'
  | 'registering'
  | 'logging_out'
  | 'changing'
  | 'checking_in';

/** The step that helps: `wait` is only offered with an instant to wait for, `again` at once. */
export type NextStep = 'log_in' | 'wait' | 'again' | 'reload' | 'other_choice' | 'none';

export interface Explanation {
  title: string;
  text: string;
  next: NextStep;
}

type Entry = Explanation | ((doing: Doing, detail: string) => Explanation);

const say = (title: string, text: string, next: NextStep): Explanation => ({ title, text, next });

/** What is certain about the thing asked for, when the API refused before it did anything. */
const nothingHappened: Record<Doing, string> = {
  reading: 'Nothing is lost.',
  holding: 'Nothing was held.',
  paying: 'Nothing was charged, and your hold goes on.',
  cancelling: 'Nothing was cancelled.',
  logging_in: 'Your password was not looked at.',
  registering: 'No account was made.',
  logging_out: 'You are still logged in.',
  changing: 'Nothing was changed.',
  checking_in: 'Nobody was admitted.',
};

/** What can be said when no answer came. */
const unknownOutcome: Record<Doing, string> = {
  reading: 'Check your connection; this page asks again by itself.',
  holding: 'Your places may be held already. Asking again is safe: it is the same request, and it is carried out once.',
  paying: 'The payment may have gone through. Asking again is safe: it is the same request, and you are charged once.',
  cancelling: 'The booking may be cancelled already. Asking again is safe: places are given back once.',
  logging_in: 'Asking again is safe.',
  registering: 'The account may have been made. If asking again says that the e-mail is taken, log in.',
  logging_out: 'You may still be logged in. Try again before you leave this computer.',
  changing: 'The change may have been made. Look at how things stand before you try again.',
  checking_in: 'The ticket may have been admitted. Asking again tells: it admits once.',
};

/** What holds after a failure that may have come before or after the deed. */
const afterFailure: Record<Doing, string> = {
  reading: 'This page asks again by itself.',
  holding: 'Asking again is safe: your places are held once.',
  paying: 'Asking again is safe: you are charged once.',
  cancelling: 'Asking again is safe: places are given back once.',
  logging_in: 'You are not logged in yet.',
  registering: 'If asking again says that the e-mail is taken, the account was made: log in.',
  logging_out: 'You may still be logged in.',
  changing: 'Look at how things stand before you try again.',
  checking_in: 'Asking again is safe: a ticket admits once.',
};

const tooMany: Record<Doing, string> = {
  reading: 'More pages were asked for than one visitor may.',
  holding: 'More booking requests came from your account than one person may send, counting all your tabs and devices.',
  paying: 'More requests came from your account than one person may send, counting all your tabs and devices.',
  cancelling: 'More requests came from your account than one person may send, counting all your tabs and devices.',
  logging_in: 'Too many log-ins were tried from your network. Everybody behind the same address shares this limit.',
  registering:
    'Too many accounts were asked for from your network. Everybody behind the same address shares this limit.',
  logging_out: 'Too many requests came from your account.',
  changing: 'Too many requests came from your account.',
  checking_in: 'Too many requests came from your account.',
};

const stillWorks = (doing: Doing) =>
  `Places that are held stay held until their time ends, and paid tickets stay valid.${doing === 'reading' ? '' : ' Events can still be looked at.'}`;

const entries: Record<ProblemCode | LocalCode, Entry> = {
  validation_failed: say('Something is not filled in right', 'Look at the marked fields.', 'other_choice'),
  malformed_request: say('The request could not be read', 'Reload the page: it may be older than the shop.', 'reload'),
  method_not_allowed: say('The request could not be read', 'Reload the page: it may be older than the shop.', 'reload'),
  request_timeout: say(
    'The request did not arrive in time',
    'Your connection may be slow. What was asked for was not done: try again.',
    'again',
  ),
  misdirected_request: say(
    'This address is not the shop’s',
    'Open the shop at the address that its operator gave you.',
    'none',
  ),
  uri_too_long: say('The address is too long', 'Shorten the search or the link, and try again.', 'other_choice'),
  headers_too_large: say(
    'Your browser sent too much',
    'Delete this site’s cookies in your browser, and reload the page.',
    'reload',
  ),
  unauthenticated: (doing) =>
    say(
      'Log in first',
      doing === 'holding'
        ? 'You come back here afterwards, and your choice is kept.'
        : 'You come back here afterwards.',
      'log_in',
    ),
  invalid_credentials: say(
    'Unknown e-mail or wrong password',
    'Check both. For your safety we do not say which of the two it is.',
    'other_choice',
  ),
  payment_declined: say(
    'The payment was declined',
    'Nothing was charged. Your places stay held until their time is up: choose another way to pay.',
    'other_choice',
  ),
  forbidden: say('That is not yours to do', 'Another account may be the right one for this.', 'none'),
  cross_origin: say(
    'Refused for your protection',
    'This request did not come from the shop’s own address. Open the shop at the address that your browser showed first.',
    'reload',
  ),
  not_found: say('There is nothing here', 'It may have been removed, or the address is mistyped.', 'none'),
  email_taken: say(
    'This e-mail already has an account',
    'Log in with it, or register with another address.',
    'other_choice',
  ),
  slug_taken: say('Another event has this address', 'Choose another one.', 'other_choice'),
  sold_out: say(
    'Those places are gone',
    'Nothing was held: it is all of your places or none. Fewer places or another kind may still be free, and unpaid holds come back within minutes.',
    'other_choice',
  ),
  user_limit_reached: (_doing, detail) =>
    say(
      'That is more than one person may have',
      `${detail || 'The event has a limit.'} Nothing was held. Your held and your paid places count together: choose fewer, or look at your bookings.`,
      'other_choice',
    ),
  sales_not_open: say('The sale has not opened yet', 'Nothing was held. The countdown shows when it opens.', 'wait'),
  sales_closed: say('The sale is closed', 'Nothing was held. There are no more tickets for this event here.', 'none'),
  event_not_on_sale: (doing) =>
    say(
      'This event is not on sale',
      doing === 'paying'
        ? 'It was taken off sale or cancelled. If you were charged, the charge is sent back in full.'
        : 'Nothing was held. It was taken off sale or cancelled.',
      'none',
    ),
  hold_expired: say(
    'The hold has ended',
    'The time to pay is over and the places were given back. Nothing is charged, and a payment that was on its way is refunded if the places are gone. You can choose again.',
    'other_choice',
  ),
  booking_not_payable: say(
    'This booking cannot be paid any more',
    'It was already paid, cancelled, or given back, perhaps in another tab. A charge that came too late for it is sent back in full. This page now shows how it stands.',
    'none',
  ),
  booking_not_cancellable: say(
    'This booking cannot be cancelled any more',
    'It was already cancelled or given back, or the event has started. This page now shows how it stands.',
    'none',
  ),
  payment_in_progress: say(
    'A payment is already running',
    'The provider has not answered yet. This page shows the outcome as soon as it is known; you are charged once.',
    'wait',
  ),
  already_checked_in: (_doing, detail) => say('This ticket was already used', detail || 'It admits once.', 'none'),
  ticket_not_valid: (_doing, detail) =>
    say('This ticket does not admit anybody', detail || 'Its booking was cancelled, or the code is not ours.', 'none'),
  change_not_possible: (_doing, detail) =>
    say('The change does not fit', detail || 'More was already sold than it would leave.', 'other_choice'),
  audit_in_progress: say(
    'An audit is already running',
    'Somebody else asked for one a moment ago, and one runs at a time. It is over within seconds.',
    'wait',
  ),
  idempotency_in_progress: say(
    'Your first click is still being worked on',
    'Its answer comes first; it is carried out once.',
    'again',
  ),
  idempotency_key_reused: say('These were two different requests', 'Nothing was done twice. Try again.', 'again'),
  too_large: say('That is too long', 'Shorten what you typed.', 'other_choice'),
  unsupported_media_type: say(
    'The request could not be read',
    'Reload the page: it may be older than the shop.',
    'reload',
  ),
  rate_limited: (doing) => say('A short wait', `${tooMany[doing]} ${nothingHappened[doing]}`, 'wait'),
  suppressed: (doing) =>
    say(
      'Paused for a while',
      `Requests kept coming after the limit was reached, so they are refused for a time. Waiting is enough: trying again does not make it longer. ${nothingHappened[doing]}`,
      'wait',
    ),
  cost_above_capacity: say(
    'That is more than the limit ever allows at once',
    'Waiting does not help. Ask for less.',
    'other_choice',
  ),
  internal_error: (doing) =>
    say(
      'Something went wrong on our side',
      `It is not your doing, and it was written down. ${afterFailure[doing]}`,
      'again',
    ),
  store_unavailable: (doing) =>
    say('A part of the shop is not answering', `${afterFailure[doing]} ${stillWorks(doing)}`, 'again'),
  busy: (doing) =>
    say(
      'Too many people at this moment',
      `Your turn did not come in time. ${afterFailure[doing]} ${stillWorks(doing)}`,
      'again',
    ),
  pause_not_possible: (_doing, detail) =>
    say('Redis cannot be paused now', detail || 'It is paused already, or an experiment needs it.', 'wait'),
  lab_busy: say(
    'The lab has enough to run',
    'It runs one experiment at a time, and as many as may wait are waiting. Nothing was queued.',
    'wait',
  ),
  lab_not_running: say(
    'The lab is not running',
    'Experiments can be run on the command line instead. Everything else works without the lab.',
    'again',
  ),
  connection_lost: (doing) => say('The connection was lost', unknownOutcome[doing], 'again'),
  deadline_passed: (doing) => say('No answer came in time', unknownOutcome[doing], 'again'),
  unreadable_answer: (doing) => say('The shop could not be reached', unknownOutcome[doing], 'again'),
};

/**
 * Says a problem in words, for what was being done. A code that these pages do not know is told in the API's own words.
 * @param timeZone of the event that it is about: times are told on its clock, or else on the reader's
 */
export function explain(
  problem: Pick<ApiProblem, 'code' | 'title' | 'detail' | 'status'>,
  doing: Doing,
  timeZone?: string,
): Explanation {
  const detail = withTimesOf(timeZone, problem.detail);
  if (!Object.hasOwn(entries, problem.code)) {
    return say(problem.title, detail, problem.status >= 500 ? 'again' : 'none');
  }
  const entry = entries[problem.code];
  return typeof entry === 'function' ? entry(doing, detail) : entry;
}
