import { expect, test } from 'vitest';
import { instantAt, wallTime } from './zone-time.ts';

test('a local time is read with the UTC offset of its own date, not of today', () => {
  expect(instantAt('2026-10-24T20:00', 'Europe/Berlin')).toBe('2026-10-24T18:00:00.000Z');
  expect(instantAt('2026-11-24T20:00', 'Europe/Berlin')).toBe('2026-11-24T19:00:00.000Z');
  expect(instantAt('2026-11-24T20:00', 'America/New_York')).toBe('2026-11-25T01:00:00.000Z');
  expect(instantAt('2026-06-01T20:00', 'Asia/Kathmandu')).toBe('2026-06-01T14:15:00.000Z');
});

test('an hour that occurs twice means the first, and an hour that does not occur lies after the gap', () => {
  expect(instantAt('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  expect(instantAt('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  expect(wallTime('2026-03-29T01:30:00.000Z', 'Europe/Berlin')).toBe('2026-03-29T03:30');
});

test('a local time converts back to the same instant', () => {
  for (const zone of ['UTC', 'Europe/London', 'Pacific/Auckland', 'America/St_Johns', 'Australia/Lord_Howe']) {
    for (const instant of ['2026-01-15T12:00:00.000Z', '2026-07-15T23:45:00.000Z', '2026-12-31T23:59:00.000Z']) {
      expect(instantAt(wallTime(instant, zone), zone)).toBe(instant);
    }
  }
});

test('text that is not a local time converts to undefined', () => {
  for (const wall of ['', 'tomorrow', '2026-13-01T20:00', '2026-10-24']) {
    expect(instantAt(wall, 'UTC')).toBeUndefined();
  }
});
