import type { Event } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { holdTickets } from '../api/calls.ts';
import { bookingQuery } from '../api/queries.ts';
import { useUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { Button, buttonClass } from '../interface/button.tsx';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { money } from '../words/money.ts';
import { useChoice } from './choice.ts';
import { TicketTypeRow } from './ticket-type-row.tsx';

const now = () => Date.now();

/** Lets a buyer choose tickets of an event and hold them. */
export function TicketChoice({ event }: { event: Event }) {
  const { quantities, choose, forget } = useChoice(event);
  const client = useQueryClient();
  const navigate = useNavigate();
  const user = useUser();
  const here = useRouterState({ select: (state) => state.location.href });
  const hold = useWrite(
    holdTickets,
    async (booking) => {
      client.setQueryData(bookingQuery(booking.id).queryKey, booking);
      forget();
      refresh();
      await navigate({ to: '/bookings/$id', params: { id: booking.id } });
    },
    (problem) => {
      if (problem.status === 409) refresh();
    },
  );
  const waitSeconds = useSecondsLeft(hold.problem?.status === 429 ? hold.problem.retryAt : undefined, now);

  function refresh() {
    client.invalidateQueries({ queryKey: ['bookings'] }).catch(() => undefined);
    client.invalidateQueries({ queryKey: ['event'] }).catch(() => undefined);
  }

  const lines = event.ticketTypes.flatMap((type) => {
    const quantity = quantities[type.id] ?? 0;
    return quantity > 0 ? [{ type, quantity }] : [];
  });
  const ticketCount = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const totalMinor = lines.reduce((sum, { type, quantity }) => sum + quantity * type.priceMinor, 0);
  const currency = event.ticketTypes[0]?.currency ?? 'EUR';
  const remainingAllowance = event.maxPerUser - ticketCount;

  const holdChosen = () =>
    hold.run({
      eventId: event.id,
      lines: lines.map(({ type, quantity }) => ({ ticketTypeId: type.id, quantity })),
    });

  const soldOut = ticketCount === 0 && !hold.problem && event.ticketTypes.every(({ available }) => available === 0);

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[1fr_22rem]">
      <section aria-labelledby="kinds" className="space-y-4">
        <h2 id="kinds" className="text-2xl font-bold">
          Choose your tickets
        </h2>
        <ul className="space-y-3">
          {event.ticketTypes.map((type) => (
            <TicketTypeRow
              key={type.id}
              type={type}
              quantity={quantities[type.id] ?? 0}
              allowance={remainingAllowance}
              onChange={(quantity) => {
                choose(type.id, quantity);
                if (hold.problem && !hold.problem.isTemporary) hold.clear();
              }}
            />
          ))}
        </ul>
        <p className="text-sm text-muted">
          Up to {event.maxPerUser} {event.maxPerUser === 1 ? 'ticket' : 'tickets'} per person. Availability updates
          every few seconds; tickets that others hold but do not pay for come back within minutes.
        </p>
      </section>
      {soldOut ? (
        <Notice tone="calm" title="Sold out for now">
          <p>
            Every ticket is sold or held. Tickets that are not paid for in time come back on sale: keep this page open,
            and they appear here.
          </p>
        </Notice>
      ) : (
        <section
          aria-labelledby="yours"
          className="space-y-4 rounded-card bg-surface p-5 inset-ring inset-ring-line lg:sticky lg:top-6"
        >
          <h2 id="yours" className="text-xl font-bold">
            Your tickets
          </h2>
          {lines.length === 0 ? (
            <p className="text-muted">No tickets chosen yet.</p>
          ) : (
            <ul className="space-y-1">
              {lines.map(({ type, quantity }) => (
                <li key={type.id} className="flex justify-between gap-4">
                  <span>
                    {quantity} × {type.name}
                  </span>
                  <span className="whitespace-nowrap tabular-nums">
                    {money(quantity * type.priceMinor, type.currency)}
                  </span>
                </li>
              ))}
            </ul>
          )}
          <p className="flex justify-between border-t border-line pt-3 text-lg font-bold">
            <span>Total</span>
            <span className="whitespace-nowrap tabular-nums">{money(totalMinor, currency)}</span>
          </p>
          {hold.problem && (
            <ProblemNotice problem={hold.problem} action="holding" automatic={hold.automatic} retry={hold.retry}>
              {hold.problem.code === 'user_limit_reached' && (
                <Link to="/bookings" className={buttonClass('quiet')}>
                  My bookings
                </Link>
              )}
            </ProblemNotice>
          )}
          {user === null ? (
            <Link to="/log-in" search={{ returnTo: here }} className={`${buttonClass('primary')} w-full`}>
              Log in to hold tickets
            </Link>
          ) : (
            <Button
              wide
              busy={hold.busy}
              busyText="Holding your tickets"
              waitSeconds={waitSeconds}
              blocked={ticketCount === 0}
              onClick={holdChosen}
            >
              {ticketCount === 0
                ? 'Choose tickets first'
                : `Hold ${ticketCount === 1 ? '1 ticket' : `${ticketCount} tickets`}`}
            </Button>
          )}
          <p className="text-sm text-muted">
            Holding is free. You pay on the next page; nobody else can buy these tickets until your time there is up.
          </p>
        </section>
      )}
    </div>
  );
}
