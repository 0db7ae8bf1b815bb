import type { Event } from '@minitickets/contract';
import { useState } from 'react';
import { tabMemory } from '../api/tab-memory.ts';

export type Quantities = Readonly<Record<string, number>>;

/** The quantities a buyer has chosen, by ticket type. The tab keeps them across a reload and a log-in, until the hold succeeds. */
export function useChoice(event: Pick<Event, 'id' | 'maxPerUser' | 'ticketTypes'>) {
  const [quantities, setQuantities] = useState(() => recall(event));
  const keep = (next: Quantities) => {
    setQuantities(next);
    remember(event.id, next);
  };
  return {
    quantities,
    choose: (ticketTypeId: string, quantity: number) => keep({ ...quantities, [ticketTypeId]: quantity }),
    forget: () => keep({}),
  };
}

const nameOf = (eventId: string) => `minitickets:choice:${eventId}`;

/** Restores only ticket types that the event still offers, up to its limit per person. */
function recall(event: Pick<Event, 'id' | 'maxPerUser' | 'ticketTypes'>): Quantities {
  let kept: unknown;
  try {
    kept = JSON.parse(tabMemory?.getItem(nameOf(event.id)) ?? '{}');
  } catch {
    return {};
  }
  let room = event.maxPerUser;
  const quantities: Record<string, number> = {};
  for (const { id } of event.ticketTypes) {
    const wanted = Number((kept as Record<string, unknown> | null)?.[id]);
    if (!Number.isInteger(wanted) || wanted <= 0 || room === 0) continue;
    quantities[id] = Math.min(wanted, room);
    room -= quantities[id];
  }
  return quantities;
}

function remember(eventId: string, quantities: Quantities): void {
  try {
    tabMemory?.setItem(nameOf(eventId), JSON.stringify(quantities));
  } catch {
    // Without session storage, a reload only loses the choice.
  }
}
