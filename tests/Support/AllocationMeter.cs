namespace Raceway.Tests.Support;

internal static class AllocationMeter
{
    public const int Messages = 1_000_000;

    private const int OfARun = Messages / Allocated.LeastRuns;

    // An object a batch would be more: 24 bytes for each thousand messages.
    private const long Most = OfARun / 100;

    /// <summary>Fails if messages allocate, over all threads. What a message or a batch costs shows up in every run.</summary>
    /// <param name="run">Publishes that many messages and waits until they are handled: <see cref="Messages"/> or more.</param>
    public static void AssertNone(Action<int> run)
    {
        run(Messages / 5);
        long least = Allocated.Least(Most, () => run(OfARun));
        Assert.True(least <= Most, $"{least} bytes for {OfARun} messages");
    }
}
