namespace Raceway.Rings;

/// <summary>Errors of waits: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class WaitErrors
{
    public static InvalidOperationException AlreadyWaiting() =>
        new("There can be one wait at a time here: waits=1. Await the one that is pending first.");

    public static ArgumentOutOfRangeException ParkPeriod(TimeSpan period) =>
        new(nameof(period), period, $"A timed park must last at least 1 ms, the grain of a sleep: period={period}.");

    public static ArgumentOutOfRangeException Slice(TimeSpan slice) =>
        new(
            nameof(slice), slice, $"A time slice must be between 1 µs and a second: slice={slice}. Use Wait.Async() for 50 µs.");

    public static ArgumentOutOfRangeException Timeout(string name, TimeSpan timeout) =>
        new(name, timeout, $"A timeout must not be negative, unless infinite: {name}={timeout}.");

    public static InvalidOperationException NoWaiter(string wait) =>
        new($"A wait strategy must make a waiter: '{wait}'.CreateWaiter returned null. Return one for each call.");
}
