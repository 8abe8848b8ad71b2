namespace Raceway.Rings.Tests;

/// <summary>Tests that count what the whole process allocates: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationGroup
{
    public const string Name = "allocation";
}

internal static class AllocationMeter
{
    public const int Messages = 1_000_000;

    // What the test host does in the background while a crowded machine takes its time: seen were 10,248 bytes, always the
    // same. An object a batch would be more: a million messages are a thousand batches of these rings, and 24,000 bytes.
    private const long Most = Messages / 50;

    /// <summary>
    /// Fails if a million messages allocate, over all threads. Anything a message or a batch costs shows up every time, so
    /// the least of a few runs is what counts.
    /// </summary>
    /// <param name="run">Publishes that many messages and waits until they are handled.</param>
    public static void AssertNone(Action<int> run)
    {
        run(Messages / 5);
        long least = long.MaxValue;
        for (int attempt = 0; attempt < 12 && least > Most; attempt++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            run(Messages);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.True(least <= Most, $"{least} bytes for {Messages} messages");
    }
}
