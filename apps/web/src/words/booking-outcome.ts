import type { Booking, EventStatus } from '@minitickets/contract';
import { readerTime } from './dates.ts';
import { money } from './money.ts';

/**
 * Says how a booking without valid tickets ended, and where the money is.
 * @param status its status now: a hold whose time is up is `expired`, even if the last response still said `held`
 */
export function bookingOutcome(
  { status: lastStatus, payment, totalMinor, currency, holdExpiresAt }: Booking,
  status: 'cancelled' | 'expired',
  eventStatus?: EventStatus,
): { title: string; text: string } {
  const sum = money(totalMinor, currency);
  const free = totalMinor === 0;
  const moneyWords = {
    // The last response said `held`, so a payment may have begun since then.
    unpaid:
      lastStatus === 'held' && !free ? 'This page is checking whether a payment was made.' : 'Nothing was charged.',
    pending: `A payment of ${sum} is still in progress. If it is charged, you get a full refund, and this page says so.`,
    paid: `${sum} was paid and is being refunded.`,
    refunded: `${sum} was refunded.`,
  }[free ? 'unpaid' : payment];
  if (eventStatus === 'cancelled') {
    return { title: 'This event was cancelled', text: `Your tickets are no longer valid. ${moneyWords}` };
  }
  if (status === 'cancelled') {
    return { title: 'This booking was cancelled', text: `Its tickets are back on sale. ${moneyWords}` };
  }
  const end = `The time to pay ended on ${readerTime(holdExpiresAt)}.`;
  if (!free && payment === 'pending') {
    return {
      title: 'The hold expired while you were paying',
      text: `${end} If your payment goes through and the tickets are still available, you get them; otherwise you get a full refund. This page shows the result as soon as it arrives.`,
    };
  }
  if (!free && payment === 'refunded') {
    return {
      title: 'Your payment came too late',
      text: `${end} Your payment arrived after that, when the tickets were sold to others. ${moneyWords}`,
    };
  }
  return { title: 'Your hold has expired', text: `${end} The tickets are back on sale. ${moneyWords}` };
}
