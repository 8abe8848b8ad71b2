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

    private const int Windows = 20;

    // What the test host does in the background while a crowded machine takes its time comes in lumps: most windows have none
    // of it. An object a batch is in every window, and more: half a million messages are five hundred batches of these rings.
    private const long Most = Messages / 200;

    /// <summary>
    /// Fails if a million messages allocate, over all threads: in windows, of which the quieter half counts. Anything that a
    /// message or a batch costs is in all of them.
    /// </summary>
    /// <param name="run">Publishes that many messages and waits until they are handled.</param>
    public static void AssertNone(Action<int> run)
    {
        run(Messages / 5);
        long[] spent = new long[Windows];
        long least = long.MaxValue;
        for (int attempt = 0; attempt < 12 && least > Most; attempt++)
        {
            for (int window = 0; window < Windows; window++)
            {
                long before = GC.GetTotalAllocatedBytes(precise: true);
                run(Messages / Windows);
                spent[window] = GC.GetTotalAllocatedBytes(precise: true) - before;
            }

            Array.Sort(spent);
            least = Math.Min(least, spent.Take(Windows / 2).Sum());
        }

        Assert.True(least <= Most, $"{least} bytes for {Messages / 2} messages; the last windows: {string.Join(", ", spent)}");
    }
}
