import type { Booking } from '@minitickets/contract';
import { readerTime } from './dates.ts';
import { money } from './money.ts';

/**
 * Says how a booking ended that has no tickets (any more), and where the money is.
 * @param status what it is by now: a hold whose time is over is `expired`, whatever the page was last told
 */
export function bookingOutcome(
  { payment, totalMinor, currency, holdExpiresAt }: Booking,
  status: 'cancelled' | 'expired',
): { title: string; text: string } {
  const sum = money(totalMinor, currency);
  const free = totalMinor === 0;
  const moneyWords = {
    unpaid: 'Nothing was charged.',
    pending: `A payment of ${sum} is still on its way. If it was charged, it is refunded, and this page says so.`,
    paid: `${sum} was paid and is being refunded.`,
    refunded: `${sum} is refunded.`,
  }[free ? 'unpaid' : payment];
  if (status === 'cancelled') {
    return { title: 'This booking was cancelled', text: `Its places were given back. ${moneyWords}` };
  }
  const end = `The time to pay was over on ${readerTime(holdExpiresAt)}.`;
  if (!free && payment === 'pending') {
    return {
      title: 'The hold ended while you were paying',
      text: `${end} If your payment goes through and places are still free, you get your tickets; otherwise it is refunded. This page shows which, as soon as it is known.`,
    };
  }
  if (!free && payment === 'refunded') {
    return {
      title: 'Your payment came too late',
      text: `${end} It arrived after that, when the places had gone to others. ${moneyWords}`,
    };
  }
  return { title: 'The hold has ended', text: `${end} The places were given back. ${moneyWords}` };
}
