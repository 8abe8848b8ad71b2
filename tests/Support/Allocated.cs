namespace Raceway.Tests.Support;

/// <summary>Fails if something allocates, over all threads of the process. Nothing else may run beside it.</summary>
/// <remarks>
/// The least of some runs counts: what is measured allocates its own in every run, and the background of the test runner only
/// adds. So do pools until they are full, which takes many runs: what ends on another thread than it began on leaves its object
/// there. Bounds are counts of the smallest object there is, so that they say how many messages, batches or waits may share one.
/// </remarks>
internal static class Allocated
{
    /// <summary>An object without fields, in bytes.</summary>
    public const int SmallestObject = 24;

    /// <summary>How many runs there are at most.</summary>
    public const int Runs = 50;

    /// <summary>Fails if every run allocates as much as <paramref name="objects"/> of the smallest objects, or more.</summary>
    /// <param name="objects">The first number that is too many.</param>
    /// <param name="run">Runs what is measured; it is warm already.</param>
    public static async Task AssertFewerAsync(long objects, Func<Task> run)
    {
        long least = long.MaxValue;
        // The least cannot grow, so the runs after one that is below the bound are left out.
        for (int i = 0; i < Runs && least >= objects * SmallestObject; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await run();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.True(
            least < objects * SmallestObject,
            $"{least:N0} bytes in the best of {Runs} runs: as much as {least / SmallestObject:N0} objects, and {objects:N0} are too many");
    }

    /// <inheritdoc cref="AssertFewerAsync"/>
    public static void AssertFewer(long objects, Action run) => AssertFewerAsync(objects, () =>
    {
        run();
        return Task.CompletedTask;
    }).GetAwaiter().GetResult();

    /// <summary>Fails if messages allocate: even one object for each batch of 256 is several times too much.</summary>
    /// <param name="messages">How many of them a run publishes.</param>
    /// <param name="run">Publishes them and waits until they are handled; it is warm already.</param>
    public static void AssertNoneAMessage(long messages, Action run) => AssertFewer(messages / 2048, run);

    /// <inheritdoc cref="AssertNoneAMessage"/>
    public static Task AssertNoneAMessageAsync(long messages, Func<Task> run) => AssertFewerAsync(messages / 2048, run);

    /// <summary>Fails if waits allocate, each of them or every fourth one.</summary>
    /// <remarks>
    /// A wait is an async method. The runtime pools its state, and leaves it with the thread where the wait ends. So where calls
    /// move between threads, a few waits find none and allocate one.
    /// </remarks>
    /// <param name="waits">How many of them there are in a run.</param>
    /// <param name="run">Waits; it is warm already.</param>
    public static Task AssertNoneAWaitAsync(long waits, Func<Task> run) => AssertFewerAsync(waits / 4, run);
}
