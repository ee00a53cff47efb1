import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from '../../../../src/mcp/calls/deadline.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('it expires once, after its time', () => {
  const expire = vi.fn();
  startDeadline(100, 100_000, expire);
  vi.advanceTimersByTime(99);
  expect(expire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(expire).toHaveBeenCalledOnce();
});

test('a sign of life gives the full time again', () => {
  const expire = vi.fn();
  const deadline = startDeadline(100, 100_000, expire);
  vi.advanceTimersByTime(90);
  deadline.touch();
  vi.advanceTimersByTime(99);
  expect(expire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(expire).toHaveBeenCalledOnce();
});

test('it does not expire while a person is asked, not even after a sign of life', () => {
  const expire = vi.fn();
  const deadline = startDeadline(100, 100_000, expire);
  deadline.pause();
  deadline.pause();
  deadline.touch();
  deadline.resume();
  vi.advanceTimersByTime(10_000);
  expect(expire).not.toHaveBeenCalled();
  deadline.resume();
  vi.advanceTimersByTime(100);
  expect(expire).toHaveBeenCalledOnce();
});

test('it never expires once it is cleared, even if a question ends later', () => {
  const expire = vi.fn();
  const deadline = startDeadline(100, 100_000, expire);
  deadline.pause();
  deadline.clear();
  deadline.resume();
  vi.advanceTimersByTime(1000);
  expect(expire).not.toHaveBeenCalled();
});

test('it expires for all signs of life once the most that there is has gone by', () => {
  const expire = vi.fn();
  const deadline = startDeadline(100, 1_000, expire);
  for (let time = 0; time < 999; time += 1) {
    vi.advanceTimersByTime(1);
    deadline.touch();
  }
  expect(expire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  deadline.touch();
  vi.advanceTimersByTime(1_000);
  expect(expire).toHaveBeenCalledExactlyOnceWith('endless');
});

test('the time in which a person is asked does not count towards the most that there is', () => {
  const expire = vi.fn();
  const deadline = startDeadline(100, 150, expire);
  vi.advanceTimersByTime(90);
  deadline.pause();
  vi.advanceTimersByTime(10_000);
  deadline.resume();
  vi.advanceTimersByTime(59);
  expect(expire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(expire).toHaveBeenCalledExactlyOnceWith('endless');
});
