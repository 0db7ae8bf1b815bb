import type { Booking, PaymentToken } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pay } from '../api/calls.ts';
import { bookingQuery } from '../api/queries.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { money } from '../words/money.ts';

const tokens: Record<PaymentToken, { name: string; text: string }> = {
  tok_accepted: { name: 'A card that works', text: 'The payment succeeds at once.' },
  tok_declined: {
    name: 'A card that is declined',
    text: 'The bank declines the payment. Your tickets stay held, and you can choose another card.',
  },
  tok_slow: {
    name: 'A slow bank',
    text: 'The payment succeeds after a few seconds. Wait, reload or come back later: you are charged once.',
  },
  tok_answer_lost: {
    name: 'A lost response',
    text: 'The payment succeeds, but the response never arrives. The provider’s webhook delivers your tickets a moment later.',
  },
};
const choices = Object.entries(tokens) as [PaymentToken, (typeof tokens)[PaymentToken]][];
const now = () => Date.now();

/** Returns the key of a booking's payment, by which other parts of its page see that it is in flight. */
export const paymentKey = (bookingId: string) => ['pay', bookingId];

/**
 * Pays with the sandbox provider, whose test cards show how a payment can succeed or fail. A free booking is confirmed
 * without a card.
 */
export function PaymentForm({ booking }: { booking: Booking }) {
  const [paymentToken, setPaymentToken] = useState<PaymentToken>('tok_accepted');
  const free = booking.totalMinor === 0;
  const client = useQueryClient();
  const { queryKey } = bookingQuery(booking.id);
  const payment = useWrite(
    pay,
    (paid) => {
      client.setQueryData(queryKey, paid);
      client.invalidateQueries({ queryKey: ['bookings'] }).catch(() => undefined);
      announce(free ? 'Here are your tickets.' : 'Paid. Here are your tickets.');
    },
    // After any failure, the booking's current status decides what this page shows.
    () => client.invalidateQueries({ queryKey }),
    paymentKey(booking.id),
  );
  const { problem } = payment;
  const waitSeconds = useSecondsLeft(problem?.retryAt, now);

  return (
    <form
      className="space-y-4"
      onSubmit={(submit) => {
        submit.preventDefault();
        payment.run({ id: booking.id, ...(!free && { paymentToken }) });
      }}
    >
      {free ? (
        <p>These tickets are free. You have nothing to pay.</p>
      ) : (
        <Cards chosen={paymentToken} onChoose={setPaymentToken} />
      )}
      {problem && (
        <ProblemNotice problem={problem} action="paying" automatic={payment.automatic} retry={payment.retry} />
      )}
      <Button
        type="submit"
        wide
        busy={payment.busy}
        busyText={free ? 'Confirming' : 'Paying: this can take a few seconds'}
        waitSeconds={waitSeconds}
      >
        {free ? 'Get tickets' : `Pay ${money(booking.totalMinor, booking.currency)}`}
      </Button>
    </form>
  );
}

function Cards({ chosen, onChoose }: { chosen: PaymentToken; onChoose: (token: PaymentToken) => void }) {
  return (
    <fieldset className="space-y-3">
      <legend className="mb-3 text-2xl font-bold">Choose how to pay</legend>
      <p className="text-muted">
        This is a sandbox: no real cards and no real money. Each choice shows one way a payment can end.
      </p>
      {choices.map(([token, { name, text }]) => (
        <label
          key={token}
          className="flex cursor-pointer gap-3 rounded-card bg-surface p-4 inset-ring inset-ring-line has-checked:inset-ring-2 has-checked:inset-ring-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="paymentToken"
            value={token}
            checked={token === chosen}
            onChange={() => onChoose(token)}
            className="mt-1 size-5 shrink-0 outline-none"
          />
          <span>
            <span className="block font-semibold">{name}</span>
            <span className="block text-muted">{text}</span>
            <code className="text-sm text-muted">{token}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
